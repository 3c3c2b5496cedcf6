/**
 * Persian for what the schemas of public endpoints say in English. Fields that are declared with words in both languages
 * (packages/core/src/fields) carry theirs; the sentences here are those of the others, each once. What is missing is shown in English.
 */
import type { Language } from '@dargah/core/text.ts';

export const PERSIAN: Readonly<Record<string, string>> = {
  'Of this model alone.': 'فقط همین مدل.',
  'How many times their price tokens cost at a service tier.': 'توکن‌ها در هر سطح سرویس چند برابر قیمتشان حساب می‌شوند.',
  'Toman per million pictures of this size and quality.': 'تومان برای هر میلیون تصویر با این اندازه و کیفیت.',
  '`url`: an address of this service, which holds for an hour; whoever has it sees the picture.':
    '«url»: آدرسی از همین سرویس که یک ساعت معتبر است؛ هر کس آن را داشته باشد تصویر را می‌بیند.',
  'The service tier that tokens were charged by; absent: the normal one.':
    'سطح سرویسی که توکن‌ها با آن حساب شده‌اند؛ اگر نباشد، سطح معمول.',
  'In force since then or later; RFC 3339.': 'از این زمان به بعد، به شکل «RFC 3339».',
  'At most so many; 100 by default.': 'حداکثر این تعداد؛ پیش‌فرض ۱۰۰.',
  'At most so many; 50 by default.': 'حداکثر این تعداد؛ پیش‌فرض ۵۰.',
  '`nextPageToken` of the page before.': 'مقدار «nextPageToken» صفحهٔ پیش.',
  'Unix time in seconds.': 'زمان یونیکس به ثانیه.',
  '`batch`, or `batch_output` and `batch_error` of what a batch made.':
    '«batch»، یا «batch_output» و «batch_error» برای آنچه یک دسته ساخته است.',
  'JSONL: one request in each line.': 'فایل «JSONL»: در هر سطر یک درخواست.',
  '30 days unless told.': 'اگر نگویید، ۳۰ روز.',
  'A file with the purpose `batch`.': 'فایلی با هدف «batch».',
  'Where all lines name the same.': 'جایی که همهٔ سطرها یک مدل را نام می‌برند.',
  'What its requests were charged so far, in toman.': 'هزینهٔ درخواست‌های دسته تا این لحظه، به تومان.',
  'What of the usual price its requests cost.': 'درخواست‌های دسته چند درصد قیمت معمول هزینه دارند.',
  'Each with the body of a request to `/api/v1/messages` as `params`.':
    'هر کدام با بدنهٔ درخواستی به «/api/v1/messages» در «params».',
  'The requests of a batch as JSONL. The file is kept for 30 days, or as long as `expires_after` says.':
    'درخواست‌های یک دسته به شکل «JSONL». فایل ۳۰ روز نگه داشته می‌شود، یا تا زمانی که «expires_after» می‌گوید.',
  'The last id of the page before.': 'آخرین شناسهٔ صفحهٔ پیش.',
  'As it was uploaded; of a batch, a JSON object in each line.':
    'همان‌طور که آپلود شده؛ فایل دسته در هر سطر یک شیء JSON دارد.',
  'Every line is asked within 24 hours, under the rules, limits and caps of this key, and charged like any request, at the percentage of the price that `svc.price_percent` tells.':
    'هر سطر ظرف ۲۴ ساعت با قانون‌ها، محدودیت‌ها و سقف خرج همین کلید اجرا می‌شود و مثل هر درخواستی حساب می‌شود؛ با همان درصدی از قیمت که «svc.price_percent» می‌گوید.',
  'What runs is finished and charged; what has not begun costs nothing. One that has ended is answered as it is.':
    'درخواستی که در حال اجراست تمام و حساب می‌شود؛ آنچه شروع نشده هزینه‌ای ندارد. دستهٔ تمام‌شده همان‌طور که هست پاسخ می‌گیرد.',
  'A JSON object in each line.': 'در هر سطر یک شیء JSON.',
  'Send it back as it came.': 'همان‌طور که آمده پس بفرستید.',
  'The vendor of the model.': 'شرکت سازندهٔ مدل.',
  'The name of the model.': 'نام مدل.',
  'Any model answers here. The key may come as `x-goog-api-key`, as `?key=` or as a bearer token.':
    'هر مدلی این‌جا پاسخ می‌دهد. کلید را با هدر «x-goog-api-key»، با «?key=» یا به شکل «Bearer» بفرستید.',
  'With `alt=sse` a stream of events, otherwise one JSON array whose elements arrive over time.':
    'با «alt=sse» رویدادها استریم می‌شوند؛ بدون آن یک آرایهٔ JSON می‌آید که عضوهایش یکی‌یکی می‌رسند.',
  '`models/<vendor>/<model>`.': '«models/<vendor>/<model>».',
  'base64.': '«base64».',
  'Only false: it is given whole.': 'فقط «false»: پاسخ یک‌جا می‌آید.',
  'Answered at once; the end is read by the id of the answer.': 'فوراً پاسخ می‌گیرد؛ پایان کار را با شناسهٔ پاسخ بخوانید.',
  'The `x-svc-request-id` of the answer.': 'همان «x-svc-request-id» پاسخ.',
  'With `none` the list of models is left empty, which is shorter.':
    'با «none» فهرست مدل‌ها خالی می‌ماند و پاسخ کوتاه‌تر است.',
  'The `next` of the page before.': 'مقدار «next» صفحهٔ پیش.',
  'Give it as `after` to get the next page; null on the last.':
    'آن را با نام «after» بدهید تا صفحهٔ بعد بیاید؛ در صفحهٔ آخر «null» است.',
  'RFC 3339 or a day; included.': 'زمان «RFC 3339» یا یک روز؛ خودش هم به حساب می‌آید.',
  'RFC 3339 or a day; not included.': 'زمان «RFC 3339» یا یک روز؛ خودش به حساب نمی‌آید.',
  'An error code.': 'کد خطا.',
  'A tool that the provider runs itself; only where the operator lets all fields pass.':
    'ابزاری که خود ارائه‌دهنده اجرا می‌کند؛ فقط جایی که مدیر سرویس اجازهٔ عبور همهٔ فیلدها را داده باشد.',
  'Toman.': 'تومان.',
  '`<vendor>/<model>` or `group:<name>`, or `auto` where the service offers it; absent: the default model of the key.':
    '«<vendor>/<model>» یا «group:<name>»، یا «auto» جایی که سرویس آن را عرضه کند؛ اگر نباشد، مدل پیش‌فرض کلید.',
  'The address alone, as some clients write it.': 'فقط آدرس، همان‌طور که برخی برنامه‌ها می‌نویسند.',
  'An https address or a base64 data URL.': 'آدرس https یا آدرس «data» با «base64».',
  'Of chats only.': 'فقط برای گفت‌وگو.',
  'Texts, or objects with a `text`; with `rank_fields`, objects with these fields.':
    'متن‌ها، یا شیءهایی با فیلد «text»؛ با «rank_fields»، شیءهایی با همان فیلدها.',
  'So many of the best; absent: all of them.': 'این تعداد از بهترین‌ها؛ اگر نباشد، همه.',
  'Each result also has its document.': 'هر نتیجه متن خودش را هم دارد.',
  'Place of the document in the request, from 0.': 'جای متن در درخواست، از صفر.',
  'Comparable within one answer only; models differ in its range.':
    'فقط درون یک پاسخ قابل مقایسه است؛ بازهٔ آن در مدل‌ها فرق می‌کند.',
  'How long it opens sessions.': 'مدتی که مکالمه باز می‌کند.',
  'The settings that its sessions begin with; `model` is the model they use.':
    'تنظیماتی که مکالمه‌هایش با آن شروع می‌شوند؛ «model» مدل آن‌هاست.',
  'The secret; it is shown once.': 'خود رمز؛ فقط یک بار نشان داده می‌شود.',
  'Texts and pictures that are judged together: one result.': 'متن‌ها و تصویرهایی که با هم بررسی می‌شوند: یک نتیجه.',
  'Some category is true.': 'یکی از دسته‌ها «true» است.',
  '`auto` or `WIDTHxHEIGHT`, as the model takes it.': '«auto» یا «WIDTHxHEIGHT»، آن‌طور که مدل می‌پذیرد.',
  '`auto`, `low`, `medium`, `high`, or a word of the model’s own.':
    '«auto»، «low»، «medium»، «high» یا کلمه‌ای از خود مدل.',
  'One picture as events; `partial_images` come before it.':
    'یک تصویر به صورت رویداد؛ «partial_images» پیش از آن می‌آید.',
  'An https address or a data URL.': 'آدرس https یا آدرس «data».',
  'One file, or several as `image[]`.': 'یک فایل، یا چند فایل با نام «image[]».',
  'In a JSON body, instead of `image`.': 'در بدنهٔ JSON، به جای «image».',
  'A form with files, or JSON with `images`.': 'فرمی با فایل، یا JSON با «images».',
  'Only tell what would happen: every rule, the price and the routes. Nothing is sent or charged. Of chats only.':
    'فقط بگو چه می‌شد: هر قانون، قیمت و مسیرها. چیزی فرستاده یا حساب نمی‌شود. فقط برای گفت‌وگو.',
  'Toman. The exact text is in the header `x-svc-cost`.': 'تومان. متن دقیق در هدر «x-svc-cost» است.',
  'Where the document was fetched from, when it was.': 'آدرسی که سند از آن خوانده شده، اگر خوانده شده باشد.',
  'Of a PDF, or the slide of a presentation.': 'صفحهٔ PDF یا شمارهٔ اسلاید.',
  'The headings above the passage, outermost first.': 'عنوان‌های بالای بند، از کلی به جزئی.',
  'Persian, or English when `Accept-Language` prefers it.': 'فارسی، یا انگلیسی اگر «Accept-Language» بخواهد.',
  'The page where a person mends it.': 'صفحه‌ای که مشکل در آن برطرف می‌شود.',
  'The field at fault: `messages.0.content`.': 'فیلدی که ایراد دارد: «messages.0.content».',
  '`<vendor>/<model>` or `group:<name>`.': '«<vendor>/<model>» یا «group:<name>».',
  '`text`, `image`, `document`, `search_result`, `thinking`, `redacted_thinking`, `tool_use`, `tool_result`; others are carried along.':
    'یکی از «text»، «image»، «document»، «search_result»، «thinking»، «redacted_thinking»، «tool_use»، «tool_result»؛ بقیه همان‌طور رد می‌شوند.',
  '`custom`, or the name of a tool the provider runs itself.': '«custom»، یا نام ابزاری که خود ارائه‌دهنده اجرا می‌کند.',
  '`message` (the default), `function_call`, `function_call_output`, `custom_tool_call`, `custom_tool_call_output`, `reasoning`; others are carried along.':
    '«message» (پیش‌فرض)، «function_call»، «function_call_output»، «custom_tool_call»، «custom_tool_call_output» یا «reasoning»؛ بقیه همان‌طور رد می‌شوند.',
  'base64 of 32-bit floats': 'عددهای اعشاری ۳۲ بیتی به شکل «base64»',
  'The audio.': 'صدا.',
  'ServiceExtension as JSON text.': 'همان «ServiceExtension» به شکل متن JSON.',
  'Toman for one input token, as the clients of OpenRouter read it.':
    'قیمت یک توکن ورودی به تومان، به شکلی که کلاینت‌های «OpenRouter» می‌خوانند.',
  'Toman for one output token, as the clients of OpenRouter read it.':
    'قیمت یک توکن خروجی به تومان، به شکلی که کلاینت‌های «OpenRouter» می‌خوانند.',
  'All that the account was ever credited, in toman.': 'همهٔ اعتباری که حساب تا امروز گرفته است، به تومان.',
  'All that its requests were charged, in toman; the rest is the balance.':
    'همهٔ آنچه درخواست‌ها هزینه داشته‌اند، به تومان؛ باقی‌مانده موجودی است.',
  'When the announced price comes into force.': 'زمانی که قیمت اعلام‌شده اعمال می‌شود.',
  'What the routes of the model were asked to prove, and did or not.':
    'آنچه از مسیرهای مدل خواسته شد نشان دهند، و نتیجه‌اش.',
  'Whether models are trained with it; null: not stated.': 'آیا با آن مدل آموزش داده می‌شود؛ «null» یعنی اعلام نشده.',
  'How many days it is kept, 0: not at all; null: not stated.':
    'چند روز نگه داشته می‌شود، ۰ یعنی هیچ؛ «null» یعنی اعلام نشده.',
  'Where it is processed: a country in two letters, or `eu`; null: not stated.':
    'کجا پردازش می‌شود: کشوری با دو حرف، یا «eu»؛ «null» یعنی اعلام نشده.',
  'What its routes do with what they are sent, each policy once; null is not stated.':
    'مسیرهایش با داده‌ها چه می‌کنند، هر سیاست یک بار؛ «null» یعنی اعلام نشده.',
  'What whoever answers must state about data; routes that do not state it are not used, and where none is left the request is refused with `data_policy_unmet`.':
    'آنچه پاسخ‌دهنده باید دربارهٔ داده‌ها اعلام کرده باشد؛ مسیری که اعلامش نکرده به کار نمی‌رود و اگر هیچ مسیری نماند درخواست با «data_policy_unmet» رد می‌شود.',
  'Of the model `auto` only: what decides among the models that can do what is asked, `price` by default, and which of them are looked at.':
    'فقط برای مدل «auto»: معیار انتخاب از میان مدل‌هایی که از پس درخواست برمی‌آیند، در حالت عادی «price»، و اینکه کدام‌ها دیده شوند.',
  'By the rule of the key, by the request, or by both.': 'با قانون کلید، با درخواست، یا با هر دو.',
  'Of the account’s own key at a provider, which was asked first.':
    'شناسهٔ کلید شخصی حساب نزد ارائه‌دهنده که اول پرسیده شد.',
  'Of the usual price, where it answered.': 'درصدی از قیمت معمول، وقتی همان کلید پاسخ داده باشد.',
  'False: it did not answer, and what did is charged at its price.':
    '«false» یعنی پاسخ نداد، و آنچه پاسخ داد با قیمت خودش حساب شد.',
  'Every model that `auto` looked at, the chosen one first, and why it stands where it does.':
    'همهٔ مدل‌هایی که «auto» دید، انتخاب‌شده اول، و دلیل جای هرکدام.',
  'Whether one of its routes at least does it.': 'آیا حداقل یکی از مسیرهایش از پس آن برمی‌آید.',
  'When it was asked last.': 'آخرین باری که آزموده شد.',
  'From when the model is no longer offered, if that is announced.':
    'زمانی که این مدل دیگر عرضه نمی‌شود، اگر اعلام شده باشد.',
  'The model to use instead, once this one is no longer offered.':
    'مدلی که وقتی این یکی دیگر عرضه نشود باید به‌جایش به کار رود.',
  'RFC 3339 with its zone.': 'زمان «RFC 3339» با منطقهٔ زمانی.',
  'Toman as exact decimal text, up to six decimals.': 'تومان به شکل متن دقیق، تا شش رقم اعشار.',
  'Makes vectors beside the words; charged to the owner. Null searches by words alone.':
    'در کنار کلمه‌ها بردار هم می‌سازد و به حساب مالک است؛ «null» یعنی جست‌وجو فقط با کلمه‌ها.',
  'What can be found now.': 'آنچه اکنون پیدا می‌شود.',
  'Between 0 and 1: 1 stands first in every ranking.': 'بین ۰ و ۱؛ ۱ یعنی در هر رتبه‌بندی اول است.',
  '`upload`, `text` or `url`.': '«upload»، «text» یا «url».',
  '`queued`, `reading`, `embedding`, `ready` or `failed`.':
    '«queued» (در صف)، «reading» (در حال خواندن)، «embedding» (در حال بردارسازی)، «ready» (آماده) یا «failed» (ناموفق).',
  'The answer holds the messages of the user and one `compaction` item; send its `output` in front of the next `input`, to any model.':
    'پاسخ پیام‌های کاربر و یک مورد «compaction» دارد؛ «output» آن را پیش از «input» بعدی بفرستید، به هر مدلی.',
  'Why it failed.': 'چرا نشد.',
  'How many to leave out at the beginning; all others are listed at once.':
    'چند مورد از ابتدا کنار گذاشته شود؛ بقیه یک‌جا فهرست می‌شود.',
  "The key's cap of which least is left, in toman.": 'سقفی از کلید که کمترین مانده را دارد، به تومان.',
  '-1: no limit.': '«-1» یعنی بدون محدودیت.',
  'Grows with every replacement of the content.': 'با هر جایگزینی محتوا بزرگ‌تر می‌شود.',
  'An https address; it is read in the background.': 'آدرس https؛ در پس‌زمینه خوانده می‌شود.',
  'What the gateway collects.': 'آنچه درگاه می‌گیرد.',
  'Play money.': 'پول آزمایشی.',
  'Toman as a number or as exact decimal text, up to six decimals.': 'تومان به شکل عدد یا متن دقیق، تا شش رقم اعشار.',
  'Whole units as the gateway counts them.': 'واحد کامل، همان‌طور که درگاه می‌شمارد.',
  'A part of it was sent back and nobody knows how that ended.': 'بخشی از آن برگردانده شده و سرانجامش روشن نیست.',
  'Bank transfers: the account of the operator that the money came to.':
    'انتقال بانکی: حساب مدیر سرویس که پول به آن آمده است.',
  'It may still be paid or is being checked.': 'هنوز می‌شود پرداختش کرد یا در حال بررسی است.',
  '`sending`: the gateway is asked until it answers. `refused` and `unknown` wait for staff, who say whether the money was sent.':
    '«sending»: از درگاه می‌پرسیم تا پاسخ دهد. در «refused» و «unknown» پشتیبانی می‌گوید پول فرستاده شده است یا نه.',
  'What the gateway said last.': 'آخرین پاسخ درگاه.',
  'Why it is where it is, such as `unpaid:-51` or `unreachable:…`.':
    'چرا در این وضعیت است؛ مانند «unpaid:-51» یا «unreachable:…».',
  'Where the customer pays.': 'جایی که مشتری می‌پردازد.',
  'Bank transfers: where to send the money.': 'واریز بانکی: پول به کجا برود.',
  'Masked.': 'پوشیده.',
  'False for samples of play money, and for receipts of a seller who gave no details.':
    '«false» برای نمونه‌های پول آزمایشی و رسیدهای فروشنده‌ای که مشخصاتش را ننوشته است.',
  'The charges of a day and key are one line; everything else is a line of its own. Days are those of the account’s time zone. Within a day charges come after everything else, so the balance at the top is the present one.':
    'هزینه‌های هر روز و کلید یک سطر است و بقیه هرکدام سطر خودشان را دارند. روزها به وقت حساب است. در هر روز هزینه‌ها پس از بقیه می‌آیند؛ پس مانده در سطر اول، موجودی فعلی است.',
  'Only charges of this key.': 'فقط هزینه‌های این کلید.',
  'The last day that is shown.': 'آخرین روزی که نشان داده می‌شود.',
  'What the wallet held after this line, whatever is filtered.': 'موجودی کیف پول پس از این سطر، با هر فیلتری.',
  'How many requests the charges of a day and key are.': 'هزینه‌های این روز و کلید بابت چند درخواست است.',
  'For as long as the request log is kept; the line of the day stays.':
    'تا وقتی لاگ درخواست‌ها نگه داشته می‌شود؛ سطر آن روز می‌ماند.',
  'Told once each time the balance falls below it; topping up above it arms it again.':
    'هر بار که موجودی از این مبلغ کمتر شود یک بار گفته می‌شود؛ با شارژ تا بالای آن، دوباره فعال می‌شود.',
  'Where it stands for its customer, from which follows what to do next.':
    'سفارش برای مشتری در چه مرحله‌ای است؛ قدم بعدی از همین معلوم می‌شود.',
  'The tracking number of the bank.': 'شمارهٔ پیگیری بانک.',
  'An IBAN, or a card with its middle digits hidden.': 'شماره شبا، یا شماره کارت با رقم‌های میانی پوشیده.',
  'Whose account it is.': 'نام صاحب حساب.',
  'Bank transfers that wait: the accounts to send to, any of them. The order’s id is what to write as its purpose.':
    'انتقال بانکیِ در انتظار: حساب‌هایی که می‌شود به هرکدام واریز کرد. در شرح واریز، شناسهٔ سفارش را بنویسید.',
  'Why staff did not accept a transfer.': 'چرا واریز پذیرفته نشد.',
  '`gateway`: the order leads to the gateway. `transfer`: the order says where to send the money.':
    '«gateway»: سفارش به درگاه می‌رود. «transfer»: سفارش می‌گوید پول به کجا واریز شود.',
  'The day of the transfer, in either calendar.': 'روز واریز، شمسی یا میلادی.',
  'The card or IBAN it was sent from; of a card only its ends are kept.':
    'شماره کارت یا شبایی که از آن واریز شده است؛ از کارت فقط ابتدا و انتهای شماره می‌ماند.',
  'Only while the order waits; the same number pays for one order. Sending the same again changes nothing, another one corrects it. Nothing is credited before staff saw the money.':
    'فقط تا وقتی سفارش در انتظار است؛ هر شماره یک سفارش را می‌پردازد. ارسال دوبارهٔ همان رسید چیزی را عوض نمی‌کند و رسید دیگر آن را اصلاح می‌کند. تا پول دیده نشود چیزی شارژ نمی‌شود.',
  'Year and number without gaps.': 'سال و شمارهٔ پیوسته.',
  'Credit notes: the invoice they take back.': 'برگشتی‌ها: صورت‌حسابی که پس گرفته می‌شود.',
  'Printable; opens without signing in for whoever has the address.':
    'برای چاپ؛ هرکس آدرس را داشته باشد بدون ورود بازش می‌کند.',
  'Ten digits for a person, eleven for a company; the check digit must be right.':
    'ده رقم برای شخص، یازده رقم برای شرکت؛ رقم کنترل باید درست باشد.',
  'Eleven, twelve or fourteen digits.': 'یازده، دوازده یا چهارده رقم.',
  'Of a company.': 'برای شرکت.',
  'Ten digits.': 'ده رقم.',
  'As it is to be printed.': 'همان‌طور که باید چاپ شود.',
  'Messages stay in the outbox of the operator.': 'پیام‌ها در صندوق خروجی مدیر سرویس می‌ماند.',
  'A mobile number (`0912…`, `+98912…`, Persian digits too) or an e-mail address.':
    'شمارهٔ موبایل («0912…»، «+98912…»، با رقم فارسی هم) یا ایمیل.',
  'The secret of an invitation.': 'کد محرمانهٔ دعوت.',
  'As it was understood.': 'همان‌طور که فهمیده شد.',
  'Six digits; Persian digits are read too.': 'شش رقم؛ رقم فارسی هم خوانده می‌شود.',
  'The role among staff.': 'نقش بین کارکنان.',
  'True when this made the person and the account.': '«true» اگر شخص و حساب همین حالا ساخته شد.',
  'The account that is used where a call names none.': 'حسابی که اگر درخواست نامی نبرد به کار می‌رود.',
  'What the browser says of itself.': 'آنچه مرورگر از خودش می‌گوید.',
  'How it was begun: `mobile`, `email`, `password` or `passkey`.':
    'چگونه شروع شد: «mobile»، «email»، «password» یا «passkey».',
  'Where one is set already.': 'اگر از پیش گذاشته شده باشد.',
  '`otpauth://…`, for a QR picture.': '«otpauth://…» برای تصویر «QR».',
  'Shown this once; each works once.': 'همین یک بار نشان داده می‌شود؛ هرکدام یک بار کار می‌کند.',
  'Partly hidden unless owner or admin.': 'جز برای مالک و مدیر، بخشی از آن پوشیده است.',
  'The secret; also in the message.': 'کد محرمانه؛ در پیام هم هست.',
  'Whether the operator lets suppliers be named.': 'آیا مدیر سرویس اجازه داده ارائه‌دهنده‌ها نام برده شوند.',
  'How long texts are kept.': 'متن‌ها چند روز می‌مانند.',
  'The name of the account.': 'نام حساب.',
  'The key that the playground is charged to; it has no text.': 'کلیدی که هزینهٔ محیط آزمایش از آن است؛ متنی ندارد.',
  'The key itself, shown this once.': 'خود کلید؛ همین یک بار نشان داده می‌شود.',
  'How long the former text still works.': 'کلید قبلی چند ساعت دیگر کار می‌کند.',
  'Of account, members, keys, requests, wallet, knowledge, alerts, tickets, playground.':
    'از بین «account»، «members»، «keys»، «requests»، «wallet»، «knowledge»، «alerts»، «tickets» و «playground».',
  'Named only where the operator allows it.': 'فقط جایی نام برده می‌شود که مدیر سرویس اجازه داده باشد.',
  'Whether the prompt and the answer were kept and may be read.': 'آیا پرسش و پاسخ نگه داشته شده و خواندنی است.',
  'At the pace of the last seven days.': 'با روند هفت روز گذشته.',
  'The body as it would be sent.': 'بدنه، همان‌طور که فرستاده می‌شد.',
  'From where; your own address when absent.': 'از کجا؛ اگر نباشد، آدرس خودتان.',
  'RFC 3339; for keys that expire.': 'زمان «RFC 3339»؛ برای کلیدهایی که تمام می‌شوند.',
  'The error a real request would get.': 'خطایی که درخواست واقعی می‌گرفت.',
  'Where in the console it leads.': 'در پنل به کجا می‌رود.',
  'How many times its usual spend.': 'چند برابر خرج همیشگی.',
  'Pauses the key; one click resumes it.': 'کلید را متوقف می‌کند؛ با یک کلیک ادامه می‌یابد.',
  'Why it was switched off by itself.': 'چرا خودبه‌خود خاموش شد.',
  'Masked where it is a person’s.': 'اگر متعلق به شخصی باشد پوشیده است.',
  'base64, at most 3 MB.': 'به شکل «base64»، تا ۳ مگابایت.',
  'Or multipart/form-data with the file in `file` and, if wanted, its `name`: txt, md, html, pdf, docx, xlsx, pptx, csv or json.':
    'یا «multipart/form-data» با فایل در «file» و اگر خواستید نامش در «name»: «txt»، «md»، «html»، «pdf»، «docx»، «xlsx»، «pptx»، «csv» یا «json».',
  '`amount` is what the wallet gets, in whole toman; tax comes on top.':
    '«amount» همان است که به کیف پول واریز می‌شود، به تومان کامل؛ مالیات روی آن می‌آید.',
  'The answer is the same whether the number is known or not.': 'پاسخ یکی است، شماره آشنا باشد یا نه.',
  'The code of the authenticator app, or one of the recovery codes.': 'کد برنامهٔ احراز هویت، یا یکی از کدهای بازیابی.',
  'By its secret, or by its id where it was sent to one of my numbers or addresses.':
    'با کد محرمانهٔ آن، یا با شناسه‌اش اگر به یکی از شماره‌ها یا آدرس‌های خودم فرستاده شده باشد.',
  'One JSON object per line: account, members, keys without secrets, transfers, requests, knowledge bases.':
    'هر خط یک شیء JSON: حساب، اعضا، کلیدها بدون متن محرمانه، جابه‌جایی‌ها، درخواست‌ها و پایگاه‌های دانش.',
  'What is left in the wallet stays on the books and is paid back by the operator.':
    'ماندهٔ کیف پول در دفترها می‌ماند و مدیر سرویس آن را برمی‌گرداند.',
  'Only the fields given change. `null` lifts a limit.': 'فقط فیلدهای داده‌شده عوض می‌شود. «null» محدودیت را برمی‌دارد.',
  'Bounds and intervals are computed in the time zone of the account. Empty intervals are there, as zeros.':
    'مرزها و بازه‌ها به وقت حساب است. بازه‌های خالی هم هست، با صفر.',
  'An answer with a strict schema, and arguments of tools, are checked before they go out: mended where that is certain (told in `svc.repair`), else asked once more of another route, else free. Streams then arrive at once. `false` switches off what the rule of the key says. Of chats only.':
    'پاسخ دارای طرح‌وارهٔ «strict» و آرگومان ابزارها پیش از ارسال بررسی می‌شود: اگر اصلاحش قطعی باشد اصلاح می‌شود (در «svc.repair» گفته می‌شود)، وگرنه یک بار از مسیر دیگری پرسیده می‌شود، وگرنه رایگان است. استریم آن یکجا می‌رسد. «false» قانون کلید را خاموش می‌کند. فقط برای گفت‌وگو.',
  'kept: it is right. asked_again: the first answer was wrong, and this one is right. broken: it is wrong, and free. unmet: it is wrong in what is not covered. not_covered: it was not judged.':
    '«kept»: درست است. «asked_again»: پاسخ اول نادرست بود و این یکی درست است. «broken»: نادرست و رایگان است. «unmet»: در چیزی نادرست است که ضمانت شامل آن نیست. «not_covered»: بررسی نشد.',
  'Where in the answer, as in `$.items[2].name`.': 'کجای پاسخ، مثل «$.items[2].name».',
  'Why it was not judged.': 'چرا بررسی نشد.',
  'What it cost comes back to the wallet, unless the free answers of the day are used up; the receipt says which.':
    'هزینه‌اش به کیف پول برمی‌گردد، مگر سهم پاسخ‌های رایگان آن روز تمام شده باشد؛ رسید می‌گوید کدام.',
  'What was mended of the answer.': 'آنچه از پاسخ اصلاح شد.',
  'What became of the guarantee on the answer, where it was asked for.': 'سرانجام ضمانت پاسخ، اگر خواسته شده بود.',
  'The answer tells in `svc.upstream` what its provider was sent, without secrets; in a stream at its end. Kept nowhere. For accounts that staff opened it for, of chats only.':
    'پاسخ در «svc.upstream» می‌گوید به ارائه‌دهنده چه فرستاده شده، بدون رمزها؛ در استریم در پایان آن. هیچ‌جا نگه داشته نمی‌شود. فقط برای گفت‌وگو و حساب‌هایی که پشتیبانی باز کرده است.',
  'What the request is counted for: up to 5 names, or an object whose fields become `name:value`. They are on the receipt, in the log, the usage and the exports. Of an account at most 200 different ones count a day, the rest as `other`.':
    'درخواست به حساب چه چیزی نوشته شود: حداکثر ۵ نام، یا شیئی که فیلدهایش «name:value» می‌شود. در رسید، لاگ، مصرف و خروجی‌ها می‌آید. در هر حساب روزی حداکثر ۲۰۰ برچسب متفاوت شمرده می‌شود و بقیه «other» می‌شوند.',
  'Days are those of the account’s calendar. `format=focus` has the columns of the FinOps FOCUS specification 1.2, with amounts in rial (`IRR`), because a toman is ten of them and has no code of its own; `csv` has toman.':
    'روزها روزهای تقویم حساب‌اند. «format=focus» ستون‌های استاندارد «FinOps FOCUS 1.2» را دارد، با مبلغ به ریال («IRR»)، چون هر تومان ده ریال است و کد جداگانه ندارد؛ «csv» به تومان است.',
  'Its keys spend from its caps together, beside their own and those of the account; the strictest refuses. It counts what a key spends from the moment the key belongs to it. A key can be in 3 of them.':
    'کلیدهایش با هم از سقف‌های آن خرج می‌کنند، کنار سقف خودشان و حساب؛ سخت‌گیرانه‌ترین رد می‌کند. خرج هر کلید از وقتی شمرده می‌شود که عضو آن شده است. هر کلید در ۳ بودجه جا می‌گیرد.',
  'Only the fields given change. `null` lifts a cap.': 'فقط فیلدهای داده‌شده عوض می‌شود. «null» سقف را برمی‌دارد.',
  'Of a budget that several keys share.': 'نام بودجه‌ای که چند کلید در آن شریک‌اند.',
  'Each event `request` is one request of the list. `account` in the address chooses the account, since an EventSource sends no header.':
    'هر رویداد «request» یک درخواست از فهرست است. «account» در آدرس حساب را انتخاب می‌کند، چون «EventSource» هدر نمی‌فرستد.',
  'The stream outlives its connection: its frames have numbers, and it can be continued while it runs and for so many seconds afterwards. 0 switches off what the rule of the key says. Of streamed chats only.':
    'استریم با قطع اتصال تمام نمی‌شود: فریم‌هایش شماره دارند و تا وقتی در کار است و تا این تعداد ثانیه پس از آن می‌توان ادامه‌اش داد. ۰ قاعدهٔ کلید را خاموش می‌کند. فقط برای گفت‌وگوی استریمی.',
  'An equal request of the account is given the same answer for so many seconds, at the price that the service sets; the header `x-svc-cache` says `hit`, `joined` or `miss`. 0 switches off what the rule of the key says. Never with tools. Of chats and embeddings only.':
    'درخواستی که عیناً تکرار شود تا این تعداد ثانیه همان پاسخ را می‌گیرد، با قیمتی که سرویس برای کش گذاشته است؛ هدر «x-svc-cache» می‌گوید «hit»، «joined» یا «miss». ۰ قاعدهٔ کلید را خاموش می‌کند. با ابزار هرگز. فقط برای گفت‌وگو و بردارسازی.',
  'When the provider of a stream breaks off in the middle of plain text, another route of the model goes on from the text already sent, where it accepts a begun turn. Charged once. Instead of what the rule `continue_answers` of the key says; of chats only.':
    'وقتی ارائه‌دهندهٔ استریم وسط متن ساده پاسخ را رها کند، مسیر دیگری از همان مدل، اگر پاسخ نیمه‌کاره را بپذیرد، از همان متنی که فرستاده شده ادامه می‌دهد. یک بار حساب می‌شود. به‌جای آنچه قاعدهٔ «continue_answers» کلید می‌گوید؛ فقط برای چت.',
  'It went on with the answer where the provider before it had broken off. Charged once, as one answer.':
    'از جایی که ارائه‌دهندهٔ قبلی پاسخ را رها کرده بود ادامه داده است. روی هم یک بار، مانند یک پاسخ، حساب شده است.',
  'For streams that were asked for with `svc.resume_seconds`, by any key of the same account. `Last-Event-ID` is the number of the last frame that was received; without it all frames come. Nothing is generated or charged again.':
    'برای استریمی که با «svc.resume_seconds» خواسته شده، با هر کلید همان حساب. «Last-Event-ID» شمارهٔ آخرین فریم رسیده است؛ بدون آن همهٔ فریم‌ها می‌آید. چیزی دوباره ساخته یا حساب نمی‌شود.',
  'The provider is stopped, and what it had written is charged.': 'ارائه‌دهنده متوقف می‌شود و آنچه نوشته بود حساب می‌شود.',
  'For whoever asked, while the answer runs and `resume_seconds` afterwards. `Last-Event-ID` is the number of the last frame that was received. Nothing is generated or charged again.':
    'فقط برای همان کسی که پرسیده است، تا وقتی پاسخ در کار است و تا «resume_seconds» پس از آن. «Last-Event-ID» شمارهٔ آخرین فریم رسیده است. چیزی دوباره ساخته یا حساب نمی‌شود.',
  'The `x-svc-request-id` of an own chat in the playground.': 'مقدار «x-svc-request-id» گفت‌وگوی خودتان در محیط آزمایش.',
  'What the console asks for as `svc.resume_seconds`, so that an answer goes on after a reload; 0 where the key or the service does not allow it.':
    'آنچه پنل به‌عنوان «svc.resume_seconds» می‌خواهد تا پاسخ پس از بارگذاری دوبارهٔ صفحه ادامه پیدا کند؛ ۰ یعنی کلید یا سرویس اجازه نمی‌دهد.',
  'The `x-svc-request-id` of the stream.': 'مقدار «x-svc-request-id» همان استریم.',
  'True: its events, where they are kept; of an answer in the background with `stream`.':
    'با «true» رویدادهای آن می‌آید، اگر نگه داشته شده باشند؛ برای پاسخ پس‌زمینه با «stream».',
  'With `stream`: the `sequence_number` of the last event the caller has.':
    'همراه «stream»: مقدار «sequence_number» آخرین رویدادی که گرفته‌اید.',
  'The body and the answer are those of `POST /api/v1/chat/completions`, streams included.':
    'بدنه و پاسخ همان «POST /api/v1/chat/completions» است، پاسخ استریم هم.',
  'https only, never a private address. Messages are signed as Standard Webhooks describes.':
    'فقط https و هیچ‌وقت آدرس خصوصی. پیام‌ها به روش «Standard Webhooks» امضا می‌شود.',
  '`wish` asks for other limits of the account; approving the ticket applies it.':
    '«wish» محدودیت دیگری برای حساب می‌خواهد؛ پذیرفتن تیکت همان را می‌گذارد.',
};

const TAGS: Readonly<Record<string, string>> = {
  Chat: 'گفت‌وگو',
  Embeddings: 'بردارسازی',
  Audio: 'صدا',
  Realtime: 'مکالمهٔ زنده',
  'Models of the key': 'مدل‌های کلید',
  Account: 'حساب',
  'Knowledge bases': 'پایگاه دانش',
  Payments: 'پرداخت',
  'Signing in': 'ورود',
  Me: 'من',
  Members: 'اعضا',
  'Keys of the account': 'کلیدهای حساب',
  'Management keys': 'کلیدهای مدیریت',
  Usage: 'مصرف',
  'Requests of the account': 'درخواست‌های حساب',
  Wallet: 'کیف پول',
  Limits: 'محدودیت‌ها',
  'Knowledge bases of the account': 'پایگاه‌های دانش حساب',
  Playground: 'محیط آزمایش',
  Alerts: 'هشدارها',
  Tickets: 'تیکت‌ها',
};

export function tagName(tag: string, language: Language): string {
  return language === 'fa' ? (TAGS[tag] ?? tag) : tag;
}

/** Gives the text in the reader's language where there is a translation; otherwise in English, and marked so. */
export function inLanguage(english: string, language: Language): { text: string; language: Language } {
  const persian = language === 'fa' ? PERSIAN[english] : undefined;
  return persian === undefined ? { text: english, language: 'en' } : { text: persian, language: 'fa' };
}
