-- Remembers the ids of forms that were sent, so that a form that is sent again adds nothing (N-325). `digest` is the
-- SHA-256 of the form: another form with a used id is refused.

create table sent_form (
  id      uuid primary key,
  digest  text not null,
  sent_at timestamptz not null default now()
);
