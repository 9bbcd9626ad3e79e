-- Members of the team may hide the card 'Set up your portal' of their dashboard (R-DAY-51).
call lock_exclusively('app_user');
alter table app_user add column setup_hidden_at timestamptz;
comment on column app_user.setup_hidden_at is 'When a member of the team hid the card ''Set up your portal''; null if never.';
