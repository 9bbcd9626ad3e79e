-- Remembers the ids of forms that were sent, so that a form that is sent again adds nothing (N-325).

create table sent_form (
  id      uuid primary key,
  sent_at timestamptz not null default now()
);
