-- Models that order documents, judge texts and draw. The version before knows none of these words and refuses such a model by name.
alter table model drop constraint model_kind_check, add constraint model_kind_check
  check (kind in ('chat', 'embedding', 'speech', 'transcription', 'rerank', 'moderation', 'image'));
