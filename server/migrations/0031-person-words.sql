-- Staff find people by any words of name and address (R-FIND-01).

-- Returns the words of a name and an address: without accents, in lower case, split at the signs that stand between
-- words. The function is one expression, which PostgreSQL writes into the statements that call it: the call of a function
-- for each imported person would cost more than the index. It calls no other function of the portal, because PostgreSQL
-- builds an index without the search path by which it would find that function.
create function person_words(name text, email text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array_remove(regexp_split_to_array(
    replace(translate(lower(regexp_replace(normalize(coalesce(name, '') || ' ' || email, NFKD), '[\u0300-\u036f]', '', 'g')),
      'øłđ', 'old'), 'ß', 'ss'),
    '[-\s.@+_''’`"“”„«»,;:()/]+'), ''))
$$;

-- Returns the text of a tsquery for people of whom each word of `value` begins a word. Null if `value` has no word.
create function person_query(value text) returns text language sql immutable parallel safe as $$
  select string_agg('''' || replace(word, '\', '\\') || ''':*', ' & ') from unnest(tsvector_to_array(person_words(value, ''))) word
$$;
