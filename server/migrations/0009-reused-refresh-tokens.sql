-- When the refresh token before the last used one was used: each used token is answered again for a few seconds only.
-- Null, also where an older version of the portal refreshed: that token is not answered again.
alter table auth_session add column previously_refreshed_at timestamptz;
