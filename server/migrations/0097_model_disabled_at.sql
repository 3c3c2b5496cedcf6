-- Since when a model is switched off. `updated_at` does not tell: every change of prices and every edit moves it, and each move
-- looked like a model that was withdrawn anew. Models that are off already were told of; they stay without a time.
alter table model add column disabled_at timestamptz;
