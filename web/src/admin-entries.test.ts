import { expect, test } from 'vitest';
import { isAdminPage } from './admin-entries.ts';

test.each([
  ['/admin', true],
  ['/admin/', true],
  ['/admin/products', true],
  ['/admin/users', true],
  ['/admin/coupons', true],
  ['/admin/products/4f1c', true],
  ['/admin/products/4f1c/', true],
  ['/admin/users/team', true],
  ['/admin/users/cohorts', true],
  ['/admin/users/cohorts/4f1c', true],
  ['/admin/users/cohorts/4f1c/more', false],
  ['/admin/users/4f1c', true],
  ['/admin/activity', true],
  ['/admin/coupons/7', true],
  ['/admin/coupons/uploads', true],
  ['/admin/coupons/uploads/7', true],
  ['/admin/products/4f1c/more', false],
  ['/admin/users/4f1c/more', false],
  ['/admin/view-as/4f1c', false],
  ['/admin/coupons/7/more', false],
  ['/administration', false],
  ['/', false],
  ['/admin-login', false],
  ['/admin-access-restricted', false],
  ['/admin/access-denied', false],
  ['/admin/check-access', false],
  ['/admin/anything-else', false],
])('R-HIDE-01, R-HIDE-02, R-HIDE-04: %s is an admin page: %s', (path, expected) => {
  expect(isAdminPage(path)).toBe(expected);
});
