-- When the previous refresh token was used. A used token still works for a few seconds (AUTH_REUSE_SECONDS).
-- Null also if an older version of the portal refreshed the session; then the previous token no longer works.
alter table auth_session add column previously_refreshed_at timestamptz;
