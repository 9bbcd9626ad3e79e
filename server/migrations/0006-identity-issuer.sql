-- Adds the address of the provider (the issuer) to each identity. An issuer's identifiers are unique only within this
-- issuer: after a change of GOOGLE_ISSUER the same identifier may belong to another person. OpenID Connect Core 1.0,
-- section 5.7, says that only `iss` and `sub` together identify a user.
alter table auth_identity add column issuer text not null default '';  -- '' for 'email', which has no provider
update auth_identity set issuer = coalesce(identity_data->>'iss', '');
alter table auth_identity alter column issuer drop default;
alter table auth_identity drop constraint auth_identity_provider_provider_id_key;
alter table auth_identity add unique (provider, issuer, provider_id);
