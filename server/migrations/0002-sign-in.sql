-- Tables of the embedded sign-in service: users, sessions and sign-in mails. Times are UTC, from the portal's clock.
-- A person who can only read these tables cannot sign in with their content. Tokens are stored as hashes, codes as
-- hashes keyed with SECRET_KEY, and signing keys are encrypted.

-- Users who have signed in at least once. This table does not decide which products a user gets. The products depend on
-- the row of app_user with the same e-mail address.
create table auth_user (
  id                 uuid primary key default gen_random_uuid(),
  email              text not null unique check (email = lower(btrim(email)) and email <> ''),
  email_confirmed_at timestamptz not null,
  user_metadata      jsonb not null default '{}',  -- written by the user, so never used to authorize
  last_sign_in_at    timestamptz not null,
  created_at         timestamptz not null,
  updated_at         timestamptz not null
);

-- Identities. Each row is one way in which a user has proved to own the e-mail address: by a sign-in mail (provider
-- 'email'), or by a sign-in at another provider.
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

-- Sessions: one row for each browser in which a user is signed in. If the row is deleted, the session ends immediately.
create table auth_session (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references auth_user (id) on delete cascade,
  refresh_counter bigint not null default 0,    -- counter of the current refresh token
  refreshed_at    timestamptz not null,
  amr             jsonb not null,               -- how the user signed in: [{"method": "otp", "timestamp": 1700000000}]
  created_at      timestamptz not null
);

create index auth_session_user on auth_session (user_id);

-- Sessions with their users. The SQL statements of the portal join this view to check that a session still exists.
create view signed_in as
  select s.id as session_id, u.id as auth_id, u.email
  from auth_session s join auth_user u on u.id = s.user_id;

-- Hashes of the link and the code in the newest sign-in mail to an address. The row is deleted as soon as the link or
-- the code is used.
-- If `mailed` is false, no mail was sent to the address, and no link or code matches the hashes in the row. The row
-- exists so that checking a code takes equally long for all addresses, whether or not an address belongs to a user.
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

-- The number of wrong codes that were typed for an address since the time in `since`. After a day the count restarts.
create table auth_wrong_code (
  email text primary key,
  since timestamptz not null,
  wrong integer not null
);

-- The time at which the last sign-in mail to an address was enqueued. The portal does not enqueue the next mail to this
-- address until the minimum interval has passed.
create table auth_mail_window (
  email     text primary key,
  mailed_at timestamptz not null
);

-- Counters of the rate limits: how many calls came from an IP address, and how many mails went to an e-mail address.
-- The table is unlogged, because the counters may be lost in a crash. The npm package rate-limiter-flexible prescribes
-- the columns.
create unlogged table auth_rate (
  key    text primary key,                      -- name of the limit and its subject: otp:192.0.2.1
  points integer not null,
  expire bigint                                 -- when the count restarts, in milliseconds since 1970
);

-- Queue of sign-in mails. Migration 0008 replaces this queue by the table job. A row contains no token, because the
-- token is generated when the mail is sent.
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

-- Sign-ins that have begun and need another request: the client must exchange a PKCE code, or the provider must
-- redirect the browser back.
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

-- Keys for access tokens. Exactly one key signs new tokens. A retired key only verifies the tokens that it has signed.
create table auth_signing_key (
  kid         text primary key,
  public_jwk  jsonb not null,
  private_key text not null,                    -- encrypted with SECRET_KEY
  created_at  timestamptz not null,
  retired_at  timestamptz
);

create unique index auth_signing_key_one on auth_signing_key ((true)) where retired_at is null;
