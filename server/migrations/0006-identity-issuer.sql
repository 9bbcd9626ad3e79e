-- A provider's identifier means somebody only together with the provider's own address: after a change of GOOGLE_ISSUER
-- an equal identifier is somebody else (OpenID Connect Core 1.0, 5.7: `iss` and `sub` together are the identity).
alter table auth_identity add column issuer text not null default '';  -- '' for 'email': that is this portal itself
update auth_identity set issuer = coalesce(identity_data->>'iss', '');
alter table auth_identity alter column issuer drop default;
alter table auth_identity drop constraint auth_identity_provider_provider_id_key;
alter table auth_identity add unique (provider, issuer, provider_id);
