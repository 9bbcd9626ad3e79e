// Screenshots of the record of a person.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { chooseAction } from '../harness/admin-pages.ts';
import { DEMO_LEARNER } from '../harness/demo.ts';
import type { Picture } from './picture.ts';

/** `record` is the path of a person with codes, `empty` of a person without products. */
export function listPersonScreens(options: BrowserContextOptions, record: string, empty: string): Picture[] {
  return [
    { name: 'person', options, path: record, show: waitForRecord },
    { name: 'person-refused', options, path: record, show: refuseMails },
    { name: 'person-edit', options, path: record, show: enterTakenAddress },
    { name: 'person-empty', options, path: empty, show: waitForRecord },
  ];
}

async function waitForRecord(page: Page): Promise<void> {
  await page
    .getByRole('region', { name: 'Timeline' })
    .getByRole('button', { name: 'Details' })
    .first()
    .waitFor();
  await page
    .getByRole('region', { name: 'Access' })
    .getByText(/product/)
    .first()
    .waitFor();
}

// Fakes the response, because the demo refuses no mail.
async function refuseMails(page: Page): Promise<void> {
  await page.route('**/api/admin/people/*', async (route) => {
    const response = await route.fetch();
    const record = await response.json();
    const refused_at = new Date(Date.now() - 86_400_000).toISOString();
    const mail = { ...record.mail, refused_at, reason: '550 5.2.1 This mailbox is disabled' };
    await route.fulfill({ response, json: { ...record, mail } });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await waitForRecord(page);
}

async function enterTakenAddress(page: Page): Promise<void> {
  await waitForRecord(page);
  await chooseAction(page, 'More for this person', 'Edit');
  await page.getByRole('textbox', { name: 'Email' }).fill(DEMO_LEARNER);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Open their record' }).waitFor();
  // Closes the notification, which has the same message as the field.
  await page
    .getByRole('region', { name: 'Notifications (F8)' })
    .getByRole('button', { name: 'Close' })
    .click();
}
