-- A request's text is one line now, so its counters stand with spaces between them instead of one per line.
update request_log set counters = replace(counters, E'\n', ' ') where counters like E'%\n%';
