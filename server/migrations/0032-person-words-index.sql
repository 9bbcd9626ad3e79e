-- no transaction
-- The index by which staff find people. It takes the place of the index for the beginning of names. An index left by an
-- interrupted run is dropped before.
drop index concurrently if exists app_user_words;
create index concurrently app_user_words on app_user using gin (person_words(name, email));
drop index concurrently if exists app_user_name_search;
