-- Tables of the embedded sign-in service: users, sessions and sign-in mails. Times are UTC, from the portal's clock.
-- A reader of these rows cannot sign in: tokens are stored only as hashes, codes as hashes keyed with SECRET_KEY,
-- signing keys encrypted.

-- Users who have signed in at least once. A row grants no product: app_user decides that, by address.
create table auth_user (
  id                 uuid primary key default gen_random_uuid(),
  email              text not null unique check (email = lower(btrim(email)) and email <> ''),
  email_confirmed_at timestamptz not null,
  user_metadata      jsonb not null default '{}',  -- written by the user, so never used to authorize
  last_sign_in_at    timestamptz not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null
);

-- Identities: how a user proved the address, by mail ('email') or at a provider.
create table auth_identity (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references auth_user (id) on delete cascade,
  provider        text not null,
  provider_id     text not null,                -- the user's id at the provider; for 'email' auth_user.id
  identity_data   jsonb not null default '{}',
  last_sign_in_at timestamptz not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  unique (provider, provider_id)
);

create index auth_identity_user on auth_identity (user_id);

-- One row per signed-in browser. Deleting the row ends the session at once.
create table auth_session (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references auth_user (id) on delete cascade,
  refresh_counter bigint not null default 0,    -- counter of the current refresh token
  refreshed_at    timestamptz not null,
  amr             jsonb not null,               -- how the user signed in: [{"method": "otp", "timestamp": 1700000000}]
  created_at      timestamptz not null
);

create index auth_session_user on auth_session (user_id);

-- Active sessions with their users, for the statements of the portal.
create view signed_in as
  select s.id as session_id, u.id as auth_id, u.email
  from auth_session s join auth_user u on u.id = s.user_id;

-- The link and the code of the newest mail to an address. Using one uses up both. If `mailed` is false, the address
-- gets no mail, and the hashes match nothing; the row makes checking a wrong code cost the same as for other addresses.
create table auth_one_time_token (
  email                 text primary key,
  link_hash             text not null unique,   -- SHA-256 of the link's token
  code_hash             text not null,          -- HMAC of the six-digit code, keyed with SECRET_KEY
  code_tries            integer not null default 0,
  code_challenge        text,                   -- PKCE (RFC 7636), if the client requested it
  code_challenge_method text,
  mailed                boolean not null,
  expires_at            timestamptz not null,
  check ((code_challenge is null) = (code_challenge_method is null))
);

-- Number of wrong codes typed for an address within a day; the day begins at `since`.
create table auth_wrong_code (
  email text primary key,
  since timestamptz not null,
  wrong integer not null
);

-- When a mail to an address was last enqueued; limits how soon the next one may follow.
create table auth_mail_window (
  email     text primary key,
  mailed_at timestamptz not null
);

-- Rate limits: how often an IP address called and an address was mailed. The table is unlogged because the counts may
-- be lost in a crash. Its columns are those of rate-limiter-flexible.
create unlogged table auth_rate (
  key    text primary key,                      -- name of the limit and its subject: otp:192.0.2.1
  points integer not null,
  expire bigint                                 -- when the count restarts, in milliseconds since 1970
);

-- Queue of sign-in mails, replaced by the table job in 0008. The token is generated when the mail is sent, so no row
-- contains one.
create table auth_mail (
  id                    bigint generated always as identity primary key,
  email                 text not null unique,
  create_user           boolean not null,       -- false: send no mail if the address has never signed in
  redirect_to           text not null,
  code_challenge        text,
  code_challenge_method text,
  attempts              integer not null default 0,
  due_at                timestamptz not null,   -- set to a later time while a process sends the mail
  give_up_at            timestamptz not null
);

create index auth_mail_due on auth_mail (due_at);

-- A sign-in that needs a second step: the exchange of a PKCE code, or the provider's response.
create table auth_flow_state (
  id                    uuid primary key default gen_random_uuid(),
  provider              text not null,          -- 'email', or the name of the provider
  state_hash            text unique,            -- SHA-256 of the state sent to the provider and the browser's cookie
  auth_code_hash        text unique,            -- SHA-256 of the code that the client may exchange for a session
  user_id               uuid references auth_user (id) on delete cascade,
  redirect_to           text not null,
  code_challenge        text,
  code_challenge_method text,
  expires_at            timestamptz not null
);

-- Keys that sign access tokens. Exactly one key signs; a retired key only verifies the tokens that it signed.
create table auth_signing_key (
  kid         text primary key,
  public_jwk  jsonb not null,
  private_key text not null,                    -- encrypted with SECRET_KEY
  created_at  timestamptz not null,
  retired_at  timestamptz
);

create unique index auth_signing_key_one on auth_signing_key ((true)) where retired_at is null;
