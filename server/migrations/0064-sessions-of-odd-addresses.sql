-- Stored addresses with characters that nobody can see belong to the person who has the address without them (N-303). The
-- sign-in account of the visible address found no person. It gets the stored form of the address, so that its sessions and
-- linked identities find the person now.
update auth_user a set email = u.email from app_user u
where octet_length(u.email) <> char_length(u.email) and a.email = canonical_key(u.email) and a.email <> u.email
  and not exists (select from app_user o where o.email = a.email)
  and not exists (select from auth_user o where o.email = u.email);
