-- no transaction
-- The search for people folds more letters: a Turkish dotless i is an i, þ is th, æ is ae, œ is oe, and each of ü and ue
-- finds the other, as do ö and oe, ä and ae (R-MAP-41). Both functions keep their names, so a process of the previous version
-- searches in the same way. Until the new index is built, the new spellings of stored
-- names are not found.

-- person_terms calls no other function of this schema: PostgreSQL builds an index without the schema in the search path.
create or replace function person_terms(name text, email text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array_remove(regexp_split_to_array(
    replace(replace(replace(replace(translate(lower(regexp_replace(
      normalize(words || ' ' || replace(replace(replace(lower(normalize(words, NFKC)), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), NFKD),
      '[\u0300-\u036f\u00ad\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]+', '', 'g')),
      'øłđıð', 'oldid'), 'ß', 'ss'), 'þ', 'th'), 'æ', 'ae'), 'œ', 'oe'),
    '[-\s.@+_''’`"“”„«»,;:()/]+'), ''))
  from (select coalesce(name, '') || ' ' || email as words) person
$$;
comment on function person_terms is 'Returns the words of a name and an address: without accents and invisible
  characters, in lower case, split at the signs that stand between words. A word with ä, ö or ü is there a second time,
  with ae, oe or ue.';

create or replace function person_term_query(value text) returns text language sql immutable parallel safe as $$
  select string_agg('(' || spellings || ')', ' & ')
  from regexp_split_to_table(normalize(value, NFKC), '[-\s.@+_''’`"“”„«»,;:()/]+') word,
    lateral (select string_agg('''' || replace(term, '\', '\\') || ''':*', ' | ') as spellings
             from unnest(tsvector_to_array(person_terms(word, ''))) term) terms
$$;

-- The old index has the words of the old function. An interrupted migration may have left an invalid index.
drop index concurrently if exists app_user_words;
create index concurrently app_user_words on app_user using gin (person_terms(name, email));
comment on index app_user_words is 'Finds people by any words of name and address.';
drop index concurrently if exists app_user_terms;
