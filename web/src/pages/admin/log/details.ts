// The old and new values of a line of the log, from its field `detail`, with labels for people.
import type { AuditLine, TeamRole } from '@portal/contract';
import { sayDay } from '../../../words/days.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { ROLES, sayRole } from '../team/role-words.ts';
import { type ProductNames, sayReason } from './line-words.ts';

/** A row of the details: a changed value (`old` and `new`), or a further fact (`value`). */
export type DetailRow = { key: string; label: string } & ({ old: string; new: string } | { value: string });

/** Fields that only the portal needs, or that the line shows elsewhere. */
const HIDDEN = new Set([
  ...['import_id', 'grant_id', 'cohort_id', 'batch_id', 'auth_id', 'session_id', 'kid', 'id', 'replaced'],
  ...['cohort_ids', 'act', 'filter'],
  ...['method', 'scope', 'provider', 'hint', 'text', 'expected', 'attempts'],
]);

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns the rows in the order of the fields in `detail`. */
export function listDetails({ action, detail }: AuditLine, names: ProductNames): DetailRow[] {
  const labels = listLabels();
  // Elsewhere, `count` is a number of codes.
  if (action === 'user.act') labels.count = say('People');
  return Object.entries(detail).flatMap(([key, value]): DetailRow[] => {
    // `kind` of a mail is in the sentence. Products are granted by lines of their own.
    if (HIDDEN.has(key) || (key === 'kind' && action.startsWith('mail.'))) return [];
    if (key === 'granted' && Array.isArray(value) && value.length === 0) return [];
    const row = { key, label: labels[key] ?? key };
    const words = (each: unknown) => sayValue(key, each, names);
    const isIds = key === 'product_ids' || key === 'granted';
    if (Array.isArray(value) && value.length === 2 && !isIds)
      return [{ ...row, old: words(value[0]), new: words(value[1]) }];
    return [{ ...row, value: words(value) }];
  });
}

/** Returns the label of each field that the server writes into `detail`. */
function listLabels(): Record<string, string> {
  return {
    name: say('Name'),
    email: say('Email'),
    phone_number: say('Phone'),
    user_role: say('Role'),
    team_role: say('Role'),
    url: say('URL'),
    description: say('Description'),
    page_title: say('Page Title'),
    header_text: say('Header Text'),
    instructions: say('Instructions'),
    opens_on: say('Redeeming opens'),
    closes_on: say('Redeeming closes'),
    use_by_default: say('Default last day for codes'),
    starts_on: say('From'),
    ends_on: say('Until'),
    from: say('From'),
    to: say('To'),
    reason: say('Reason'),
    revoke_code: say('Code withdrawn too'),
    note: say('Note'),
    day: say('Last day'),
    use_by: say('Last day'),
    count: say('Codes'),
    voided: say('Voided'),
    changed: say('Changed'),
    assigned: say('Assigned'),
    unknown: say('Unknown'),
    made_up: say('Generated'),
    product_ids: say('Products'),
    product_id: say('Product'),
    cohort: say('Cohort'),
    granted: say('Products'),
    sessions: say('Sessions'),
    unlinked: say('Accounts unlinked'),
    revoke: say('Old keys revoked'),
    file_name: say('File'),
    rows_total: say('Rows'),
    file: say('File'),
    rows: say('Rows'),
    success: say('New'),
    duplicates: say('Duplicates'),
    failures: say('Failed'),
    total: say('Rows'),
    productAccess: say('Access granted'),
    generated: say('Generated'),
    joined: say('Joined'),
    already: say('Members before'),
    kind: say('Kind'),
    retried: say('Jobs'),
    figures: say('Figures'),
    wrong: say('Corrected'),
    reopened: say('Days corrected'),
    words: say('The server’s words'),
    actor: say('Who'),
    before: say('Before'),
    lines: say('Lines'),
  };
}

function sayValue(key: string, value: unknown, names: ProductNames): string {
  if (value === null || value === undefined || value === '') return say('none');
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  if (typeof value === 'number') return sayNumber(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return say('none');
    return value.map((each) => names.get(String(each)) ?? String(each)).join(', ');
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (key === 'product_ids' && value === 'all') return say('All products');
  if (key === 'product_id') return names.get(value) ?? value;
  if (key === 'reason') return sayReason(value);
  if (key === 'file') return sayFile(value);
  if (key === 'team_role' && isRole(value)) return sayRole(value);
  return DAY.test(value) ? sayDay(value) : value;
}

/** Returns the name of a file about an upload. */
function sayFile(file: string): string {
  if (file === 'errors') return say('Failed rows');
  return file === 'duplicates' ? say('Duplicates') : say('Generated');
}

function isRole(value: string): value is TeamRole {
  return (ROLES as readonly string[]).includes(value);
}
