-- Remembers which person each account at Google, or at a hosted sign-in service, was linked to. So an account never signs
-- in as somebody else who gets the account's address later (OpenID Connect Core 1.0, section 5.7: an address identifies
-- nobody). The row stays when the person's address is edited, which deletes the account of the sign-in service.

create table identity_person (
  provider    text not null,                      -- 'google'; 'hosted': a user of the hosted sign-in service
  issuer      text not null,                      -- as in auth_identity; '' for 'hosted'
  provider_id text not null,
  person_id   bigint not null,                    -- app_user.id; no foreign key, so that sign-ins lock no user
  since       timestamptz not null default now(), -- the link, or the last edit of the person's address
  primary key (provider, issuer, provider_id)
);
create index identity_person_of on identity_person (person_id);

-- Accounts whose address a person had before an edit. Nobody else gets the account: its holder of today signs in again,
-- which creates a new one.
create temporary table left_account on commit drop as
  select distinct s.id, s.email from auth_user s
  join audit a on a.action = 'user.edit' and a.detail->'email'->>0 = s.email and a.at > s.created_at
  join app_user u on u.id = a.user_id and u.email <> s.email;
-- Each identity belongs to the person who had the address when the identity was linked: the first who left the address
-- after that, else the holder of today.
insert into identity_person (provider, issuer, provider_id, person_id, since)
  select distinct on (i.id) i.provider, i.issuer, i.provider_id, u.id, a.at
  from auth_identity i join left_account l on l.id = i.user_id
  join audit a on a.action = 'user.edit' and a.detail->'email'->>0 = l.email and i.created_at <= a.at
  join app_user u on u.id = a.user_id
  where i.provider <> 'email'
  order by i.id, a.id;
insert into identity_person (provider, issuer, provider_id, person_id)
  select provider, issuer, provider_id, u.id from auth_identity i
  join left_account l on l.id = i.user_id join app_user u on u.email = l.email where provider <> 'email'
on conflict do nothing;
delete from auth_user s using left_account l where l.id = s.id;

insert into identity_person (provider, issuer, provider_id, person_id)
  select provider, issuer, provider_id, u.id from auth_identity i
  join auth_user s on s.id = i.user_id join app_user u on u.email = s.email where provider <> 'email';
insert into identity_person (provider, issuer, provider_id, person_id)
  select 'hosted', '', u.auth_id::text, u.id from app_user u
  where u.auth_id is not null and not exists (select from auth_user s where s.id = u.auth_id)
on conflict do nothing;
