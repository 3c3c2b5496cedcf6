-- What an account has cost the guarantee in a day is summed before every second question.
create index guarantee_credit_account_day on guarantee_credit (account_id, day);
