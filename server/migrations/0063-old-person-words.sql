-- no transaction
-- Drops the index that app_user_terms of 0061 replaces. A file of its own: after an interruption, 0061 would drop the new
-- index first, and there would be none for a while.
drop index concurrently if exists app_user_words;
