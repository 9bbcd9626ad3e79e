-- Drops functions that only versions of before the baseline call.
drop function if exists coupon_state(bigint, timestamptz, timestamptz);
drop function if exists claim_next_coupon(
  uuid, bigint, date, bigint, date, boolean, timestamptz, text, audit_way, inet, text, jsonb);
drop function if exists person_query(text);
drop function if exists person_words(text, text);
