-- no transaction
-- Indexes of texts in their canonical form. An index left by an interrupted run is dropped before.

-- The codes and addresses that may differ from their canonical form: those with other characters than ASCII. They are few,
-- so the indexes are small, and changes of all other rows do not touch them.
drop index concurrently if exists coupon_not_ascii;
create index concurrently coupon_not_ascii on coupon (product_id, canonical_key(coupon_code))
  where octet_length(coupon_code) <> char_length(coupon_code);
drop index concurrently if exists app_user_not_ascii;
create index concurrently app_user_not_ascii on app_user (canonical_key(email))
  where octet_length(email) <> char_length(email);

-- Finds codes in notes of staff.
drop index concurrently if exists coupon_letters;
create index concurrently coupon_letters on coupon ((code_letters(coupon_code)) collate "C");

-- Takes the place of the index app_user_words.
drop index concurrently if exists app_user_terms;
create index concurrently app_user_terms on app_user using gin (person_terms(name, email));
