-- The embedded sign-in service: people, sessions, and the mails that let them in. Times are UTC, by the service's clock.
-- No row lets its reader in: tokens stand here as hashes only, codes hashed with SECRET_KEY, signing keys encrypted.

-- Somebody who has signed in at least once. Being here grants nothing: that is decided by app_user, by address.
create table auth_user (
  id                 uuid primary key default gen_random_uuid(),
  email              text not null unique check (email = lower(btrim(email)) and email <> ''),
  email_confirmed_at timestamptz not null,
  user_metadata      jsonb not null default '{}',  -- the user's own words about themselves; never authority
  last_sign_in_at    timestamptz not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null
);

-- The ways in which somebody has proved who they are: 'email', and other providers by their own identifiers.
create table auth_identity (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references auth_user (id) on delete cascade,
  provider        text not null,
  provider_id     text not null,                -- the provider's identifier; for 'email' the user's id
  identity_data   jsonb not null default '{}',
  last_sign_in_at timestamptz not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  unique (provider, provider_id)
);

create index auth_identity_user on auth_identity (user_id);

-- A browser that is signed in. Deleting the row signs it out at once, everywhere.
create table auth_session (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references auth_user (id) on delete cascade,
  refresh_counter bigint not null default 0,    -- which refresh token is the live one; the token follows from SECRET_KEY
  refreshed_at    timestamptz not null,
  amr             jsonb not null,               -- how they signed in: [{"method": "otp", "timestamp": 1700000000}]
  created_at      timestamptz not null
);

create index auth_session_user on auth_session (user_id);

-- The sessions that live, for the portal's own statements.
create view signed_in as
  select s.id as session_id, u.id as auth_id, u.email
  from auth_session s join auth_user u on u.id = s.user_id;

-- The link and the code of the newest mail to an address; used together, once. A row that was not mailed stands for an
-- address that may get no mail: it opens nothing, and makes a wrong code cost the same there.
create table auth_one_time_token (
  email                 text primary key,
  link_hash             text not null unique,   -- SHA-256 of the link's token
  code_hash             text not null,          -- HMAC of the six digits, keyed with SECRET_KEY
  code_tries            integer not null default 0,
  code_challenge        text,                   -- PKCE (RFC 7636), when the client asked for it
  code_challenge_method text,
  mailed                boolean not null,
  expires_at            timestamptz not null,
  check ((code_challenge is null) = (code_challenge_method is null))
);

-- Wrong codes typed for an address in the day that began at `since`.
create table auth_wrong_code (
  email text primary key,
  since timestamptz not null,
  wrong integer not null
);

-- When an address was last promised a mail: the least time between two mails is decided here.
create table auth_mail_window (
  email     text primary key,
  mailed_at timestamptz not null
);

-- How often an IP address called and an address was mailed, within the limit's time. Worth little: it need not survive a
-- crash, so it stays out of the write-ahead log. The shape is that of rate-limiter-flexible.
create unlogged table auth_rate (
  key    text primary key,                      -- the limit and whom it holds back: otp:192.0.2.1
  points integer not null,
  expire bigint                                 -- when the count begins anew, in milliseconds since 1970
);

-- Mails promised and not yet taken by the mail server. The token is made when the mail is sent, so none stands here.
create table auth_mail (
  id                    bigint generated always as identity primary key,
  email                 text not null unique,
  create_user           boolean not null,       -- false: nothing is sent to somebody who never signed in
  redirect_to           text not null,
  code_challenge        text,
  code_challenge_method text,
  attempts              integer not null default 0,
  due_at                timestamptz not null,   -- moved ahead while a process is sending, so that no other does
  give_up_at            timestamptz not null
);

create index auth_mail_due on auth_mail (due_at);

-- A sign-in under way that needs a second step: a PKCE code to be exchanged, or a provider's answer to come back.
create table auth_flow_state (
  id                    uuid primary key default gen_random_uuid(),
  provider              text not null,          -- 'email', or the provider whose answer is awaited
  state_hash            text unique,            -- SHA-256 of the state sent to the provider and the cookie of the browser
  auth_code_hash        text unique,            -- SHA-256 of the code that the client may exchange for a session
  user_id               uuid references auth_user (id) on delete cascade,
  redirect_to           text not null,
  code_challenge        text,
  code_challenge_method text,
  expires_at            timestamptz not null
);

-- The keys that sign access tokens. Exactly one signs; a retired one only verifies what it signed.
create table auth_signing_key (
  kid         text primary key,
  public_jwk  jsonb not null,
  private_key text not null,                    -- encrypted with SECRET_KEY
  created_at  timestamptz not null,
  retired_at  timestamptz
);

create unique index auth_signing_key_one on auth_signing_key ((true)) where retired_at is null;
