-- Texts that look the same are one text (R-MAP-01, R-MAP-02).

-- Returns the canonical form of a code or an address, as `canonicalKey` of the contract does: without invisible characters
-- (Default_Ignorable_Code_Point), each Unicode space as a space, full-width characters as ASCII, in Unicode's form NFC,
-- trimmed. An address must be in lower case. The domain of an address keeps its form.
create function canonical_key(value text) returns text language sql immutable parallel safe as $$
  select btrim(normalize(translate(
    regexp_replace(
      regexp_replace(value, '[\u00ad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+', '', 'g'),
      '[\u0009-\u000d\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]', ' ', 'g'),
    '！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～',
    '!"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~'), NFC))
$$;

-- Returns the letters and digits of a code or a note, in lower case (N-322). Removes the signs that stand between them:
-- the signs of ASCII and Latin-1, punctuation, and invisible characters.
create function code_letters(value text) returns text language sql immutable parallel safe as $$
  select lower(regexp_replace(value, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f\ufeff]+', '', 'g'))
$$;

-- Returns the words of a name and an address, as person_words of 0031, but without invisible characters.
create function person_terms(name text, email text) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array_remove(regexp_split_to_array(
    replace(translate(lower(regexp_replace(normalize(coalesce(name, '') || ' ' || email, NFKD), '[\u0300-\u036f\u00ad\u061c\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]+', '', 'g')),
      'øłđ', 'old'), 'ß', 'ss'),
    '[-\s.@+_''’`"“”„«»,;:()/]+'), ''))
$$;
create function person_term_query(value text) returns text language sql immutable parallel safe as $$
  select string_agg('''' || replace(word, '\', '\\') || ''':*', ' & ') from unnest(tsvector_to_array(person_terms(value, ''))) word
$$;

-- A code that looks like another one of its product is void with the reason 'duplicate' (0062).
call lock_exclusively('coupon');
create or replace trigger coupon_marks before insert or update of voided_at, voided_by, void_reason, revoked_at, revoked_by, revoke_reason
  on coupon for each row
  when (num_nulls(new.voided_at, new.voided_by, new.void_reason) % 3 <> 0
    or num_nulls(new.revoked_at, new.revoked_by, new.revoke_reason) % 3 <> 0
    or new.void_reason not in ('mistake', 'dead', 'expired', 'faulty', 'duplicate'))
  execute function refuse_incomplete_mark();
