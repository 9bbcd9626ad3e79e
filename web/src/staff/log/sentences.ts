// The words of each action of the log (R-TRAIL-51, R-TRAIL-53).
import { type AuditLine, fillIn, type TeamRole } from '@portal/contract';
import {
  CircleAlert,
  Download,
  Eye,
  ImageIcon,
  Key,
  Link2,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  MailCheck,
  MailX,
  Package,
  Pencil,
  Plus,
  RefreshCw,
  RotateCcw,
  Shield,
  StickyNote,
  Ticket,
  TicketX,
  Upload,
  User,
  Users,
  UserX,
} from 'lucide-react';
import { isolate } from '../../ui/text.tsx';
import { formatLabel, plural, t, tCount, tForms, tServed } from '../../words/translate.ts';
import { formatName, formatProduct, formatSuffix, type ProductNames } from '../nouns/log-line.ts';

type Action = {
  icon: LucideIcon;
  /** True if something failed or was refused. The icon is then red. */
  isBad?: true;
  formatTag?: () => string;
  /** Returns the sentence. It does not name its subject, for example the person (N-78). */
  t: (line: Told, names: ProductNames) => string;
};

/** `isOwn` is true for a line on the page of its product or code: the sentence does not name the product then. */
export type Told = AuditLine & { isOwn?: boolean };

const formatJoined = plural('{count} person joined {cohort}', '{count} people joined {cohort}');
const formatRemoved = plural('{count} person removed from {cohort}', '{count} people removed from {cohort}');
const formatManyMoved = plural(
  '{count} person moved from {old} to {new}',
  '{count} people moved from {old} to {new}',
);
const formatManyMovedAway = plural(
  '{count} person moved to another cohort',
  '{count} people moved to another cohort',
);
const formatManyGiven = plural(
  '{count} person was given access to {product}',
  '{count} people were given access to {product}',
);
const formatManyGivenProducts = plural(
  '{count} person was given products',
  '{count} people were given products',
);
/** The sentences of an import that added rows, by its kind. */
const ADDED: Record<string, (count: number) => string> = {
  products: plural('{count} product added by {file}', '{count} products added by {file}'),
  users: plural('{count} person added by {file}', '{count} people added by {file}'),
  coupons: plural('{count} code added by {file}', '{count} codes added by {file}'),
};
const formatJoinedByFile = plural(
  '{count} person joined {cohort} by {file}',
  '{count} people joined {cohort} by {file}',
);
const formatGivenByFile = plural('{count} access given by {file}', '{count} accesses given by {file}');
const formatFailedRows = plural('{what}, {count} row failed', '{what}, {count} rows failed');
const VOIDED = total(TicketX, 'voided', '{count} code voided', '{count} codes voided');
const VOIDED_CODE = withSuffix(sentence(TicketX, 'code voided'));
const CONFIRMED = total(
  MailCheck,
  'count',
  '{count} code marked as known to the partner',
  '{count} codes marked as known to the partner',
);
const CONFIRMED_CODE = withSuffix(sentence(MailCheck, 'code marked as known to the partner'));

/** All actions that have words (R-TRAIL-51, R-TRAIL-53). log.test.ts compares them to the actions that the server writes. */
const ACTIONS: Record<string, Action> = {
  'grant.create': { icon: Shield, t: formatGiven },
  'grant.edit': withReason(sentence(Shield, 'days of the access to {product} changed by {name}'), (line) =>
    t('days of the access to all products changed by {name}', { name: formatName(line) }),
  ),
  'grant.withdraw': withReason(sentence(Shield, 'access to {product} removed by {name}'), (line) =>
    t('access to all products removed by {name}', { name: formatName(line) }),
  ),
  // Written by versions before grants had days.
  'user.grant_all': sentence(Shield, 'was given access to all products'),
  'coupon.redeem': withSuffix(sentence(Ticket, 'redeemed {product}', 'redeemed a code')),
  'coupon.generate': withSuffix(sentence(Ticket, 'was given a code of {product}', 'was given a code')),
  'coupon.issue': withSuffix(sentence(Ticket, 'was sent a code of {product}', 'was sent a code')),
  'coupon.regenerate': withSuffix(
    sentence(RotateCcw, 'was given another code of {product}', 'was given another code'),
  ),
  'coupon.replace': withReason(
    withSuffix(sentence(RotateCcw, 'code of {product} replaced by {name}', 'code replaced by {name}')),
  ),
  'coupon.revoke': withReason(
    withSuffix(sentence(TicketX, 'code of {product} revoked by {name}', 'code revoked by {name}')),
  ),
  'coupon.create': withSuffix(sentence(Plus, 'code added')),
  // Without a coupon, the line is about many codes of a file or a product.
  'coupon.void': {
    ...VOIDED,
    t: (line, names) => (line.coupon === null ? VOIDED : VOIDED_CODE).t(line, names),
  },
  // Without a coupon, the line is about all codes of a product.
  'coupon.confirm': {
    ...CONFIRMED,
    t: (line, names) => (line.coupon === null ? CONFIRMED : CONFIRMED_CODE).t(line, names),
  },
  'coupon.expire': total(TicketX, 'count', '{count} code expired', '{count} codes expired'),
  'coupon.reveal': withSuffix(sentence(Eye, 'code shown')),
  'coupon.refused_reveal': bad(
    withSuffix(sentence(CircleAlert, 'code not shown: too many codes were shown within a few minutes')),
  ),
  'batch.void': VOIDED,
  'batch.use_by': total(Ticket, 'changed', 'last day set for {count} code', 'last day set for {count} codes'),
  'cohort.create': sentence(Users, 'cohort added'),
  'cohort.edit': sentence(Users, 'cohort changed'),
  'cohort.archive': sentence(Users, 'cohort archived'),
  'cohort.unarchive': sentence(Users, 'cohort brought back'),
  'cohort.dates': sentence(Shield, 'days of all access of the cohort changed'),
  'member.add': ofMembers(sentence(Users, 'joined {cohort}'), 'join'),
  'member.remove': ofMembers(sentence(Users, 'was removed from {cohort}'), 'leave'),
  'member.move': ofMembers({ icon: Users, t: formatMoved }, 'move'),
  'member.arrive': total(
    Users,
    'count',
    '{count} person came from another cohort',
    '{count} people came from another cohort',
  ),
  'user.act': { icon: Users, t: formatAction },
  'user.create': sentence(User, 'person added'),
  'user.update': sentence(Pencil, 'record of the person saved'),
  'user.edit': { icon: Pencil, t: formatEdit },
  'user.link': sentence(Link2, 'account linked'),
  'person.view': sentence(Eye, 'was viewed as this person'),
  // Written by versions before the team had four roles.
  'user.make_admin': sentence(Key, 'was made administrator'),
  'user.remove_admin': sentence(Key, 'is no administrator any more'),
  'team.invite': sentence(Key, 'was invited to the team as {role}'),
  'team.role': { icon: Key, t: formatRoleChange },
  'team.remove': sentence(Key, 'was removed from the team'),
  'team.rename': sentence(Pencil, 'changed their own name'),
  'team.sign_out': sentence(LogOut, 'was signed out by {name}'),
  'team.refused_last_owner': bad({ icon: CircleAlert, t: formatRefusal }),
  'session.start': {
    icon: LogIn,
    t: ({ detail }) => (detail.method === 'oauth' ? t('signed in with a provider') : t('signed in by email')),
  },
  'session.end': {
    icon: LogOut,
    t: ({ detail }) => {
      if (detail.scope === 'global') return t('signed out everywhere');
      return detail.scope === 'others' ? t('signed out everywhere else') : t('signed out');
    },
  },
  'session.reuse': bad(sentence(CircleAlert, 'session ended: an old token was used again')),
  'session.revoke': sentence(LogOut, 'was signed out everywhere'),
  'identity.link': sentence(Link2, 'account of a provider linked'),
  'signing_key.rotate': sentence(Key, 'key of the sign-in service replaced'),
  'import.start': { icon: Upload, t: formatStarted },
  'import.done': {
    icon: Upload,
    t: (line) => {
      const what = formatImported(line) ?? formatFinished(line);
      return line.detail.cancelled === true ? formatEnded(what, t('upload cancelled')) : what;
    },
  },
  'import.fail': bad(
    {
      icon: CircleAlert,
      t: (line, names) => {
        const what = formatImported(line);
        const stopped = STOPPED.t(line, names);
        return what === null ? stopped : formatEnded(what, stopped);
      },
    },
    () => t('Failed'),
  ),
  'import.check': sentence(Upload, 'file checked'),
  'import.discard': sentence(Upload, 'checked file discarded'),
  'import.undo': {
    icon: Upload,
    t: ({ detail: { people, products } }) =>
      Number(products ?? 0) > 0
        ? tCount(Number(products), {
            one: 'upload taken back: {count} product archived',
            other: 'upload taken back: {count} products archived',
          })
        : tCount(Number(people ?? 0), {
            one: 'upload taken back: {count} person lost access',
            other: 'upload taken back: {count} people lost access',
          }),
  },
  'import.tell': total(
    Mail,
    'count',
    '{count} person told by email what they got',
    '{count} people told by email what they got',
  ),
  'import.cancel': sentence(Upload, 'upload cancelled'),
  // Written by versions whose imports had one line, at the start.
  'products.import': sentence(Upload, 'upload of products started'),
  'users.import': sentence(Upload, 'upload of people started'),
  'coupons.import': sentence(Upload, 'upload of codes started'),
  'export.codes': download(
    sentence(Download, 'download of codes as CSV begun'),
    total(Download, 'rows', '{count} code downloaded as CSV', '{count} codes downloaded as CSV'),
    sentence(Download, 'download of codes as an Excel file begun'),
    total(
      Download,
      'rows',
      '{count} code downloaded as an Excel file',
      '{count} codes downloaded as an Excel file',
    ),
  ),
  'export.users': download(
    sentence(Download, 'download of people as CSV begun'),
    total(Download, 'rows', '{count} person downloaded as CSV', '{count} people downloaded as CSV'),
    sentence(Download, 'download of people as an Excel file begun'),
    total(
      Download,
      'rows',
      '{count} person downloaded as an Excel file',
      '{count} people downloaded as an Excel file',
    ),
  ),
  // A file about an upload of codes has one line (R-IMP-46).
  'export.file': total(
    Download,
    'rows',
    '{count} row of an upload of codes downloaded as CSV',
    '{count} rows of an upload of codes downloaded as CSV',
  ),
  'export.redemptions': download(
    sentence(Download, 'download of redemptions as CSV begun'),
    total(Download, 'rows', '{count} redemption downloaded as CSV', '{count} redemptions downloaded as CSV'),
    sentence(Download, 'download of redemptions as an Excel file begun'),
    total(
      Download,
      'rows',
      '{count} redemption downloaded as an Excel file',
      '{count} redemptions downloaded as an Excel file',
    ),
  ),
  'person.export': sentence(Download, 'all data about the person downloaded by {name}'),
  'person.erase': withReason(sentence(UserX, 'a person was erased')),
  'product.create': sentence(Package, 'product added'),
  'product.edit': sentence(Pencil, 'product changed'),
  'product.logo': sentence(ImageIcon, 'logo of the product changed'),
  'product.pause': sentence(Package, 'product paused'),
  'product.resume': sentence(Package, 'product resumed'),
  'product.archive': sentence(Package, 'product archived'),
  'product.unarchive': sentence(Package, 'product brought back'),
  'mail.queue': { icon: Mail, t: formatQueued },
  'mail.send': { icon: MailCheck, t: formatSent },
  'mail.retry': sentence(Mail, '{mail} not taken yet, the portal tries again'),
  'mail.fail': bad(sentence(MailX, '{mail} not sent'), () => t('Failed')),
  'mail.bounce': bad(sentence(MailX, '{mail} came back'), () => t('Bounced')),
  'mail.allow': sentence(Mail, 'emails to this address are sent again'),
  'note.add': withSuffix(sentence(StickyNote, 'note')),
  'job.retry': total(
    RefreshCw,
    'retried',
    '{count} failed job tried again',
    '{count} failed jobs tried again',
  ),
  'job.cancel': sentence(RefreshCw, 'job cancelled'),
  'tally.recount': sentence(RefreshCw, 'figures counted again'),
  'audit.prune': total(
    Download,
    'lines',
    '{count} old line of the log moved to a file',
    '{count} old lines of the log moved to a file',
  ),
  'audit.export': sentence(Download, 'log downloaded as CSV'),
};

/** Returns undefined for an action without words; its name is then shown (R-TRAIL-53). */
export function findAction(action: string): Action | undefined {
  return Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
}

export const KNOWN_ACTIONS: readonly string[] = Object.keys(ACTIONS);

/** Returns the number in the field `field` of the line's `detail`; 1 if there is none. */
function countOf({ detail }: AuditLine, field: string): number {
  return Number(detail[field] ?? 1);
}

/** `text` is the sentence, with placeholders for the parts of the line. */
/** `own` is the text for a line on the page of its product or code. */
function sentence(icon: LucideIcon, text: string, own = text): Action {
  return { icon, t: (line) => fillIn(formatLabel(line.isOwn ? own : text), partsOf(line)) };
}

/** An action on one member. The summary of such actions on many members has their number. */
function ofMembers(action: Action, act: 'join' | 'leave' | 'move'): Action {
  return {
    ...action,
    t: (line, names) => (line.detail.count === undefined ? action.t(line, names) : formatMembers(act, line)),
  };
}

function partsOf(line: AuditLine): Record<string, string> {
  const { cohort } = line;
  return {
    product: formatProduct(line),
    name: formatName(line),
    cohort: cohort === null ? t('a cohort') : isolate(cohort.name),
    role: formatNewRole(line),
    mail: formatMail(line),
  };
}

/** An action whose lines have a count in the field `field` of their `detail`. */
function total(icon: LucideIcon, field: string, one: string, other: string): Action {
  return { icon, t: (line) => tForms(countOf(line, field), { one, other }) };
}

/** An action that failed or was refused. */
function bad(action: Action, formatTag?: () => string): Action {
  return { ...action, isBad: true, ...(formatTag && { formatTag }) };
}

/** Adds the last characters of the code, such as '(…K5M7)'. */
function withSuffix(action: Action): Action {
  return {
    ...action,
    t: (line, names) => {
      const hint = formatSuffix(line);
      return hint === null ? action.t(line, names) : `${action.t(line, names)} (${hint})`;
    },
  };
}

/** Adds the reason. `formatAll` is the sentence of a line without a product: it is about all products. */
function withReason(action: Action, formatAll = action.t): Action {
  return {
    ...action,
    t: (line, names) => {
      const { reason } = line.detail;
      const what = (line.product === null ? formatAll : action.t)(line, names);
      return typeof reason === 'string' && reason !== '' ? `${what}: ${isolate(reason)}` : what;
    },
  };
}

/** A download has a line when it begins, and one with the number of rows when it ends (R-IMP-23). */
function download(begun: Action, ended: Action, excelBegun: Action, excelEnded: Action): Action {
  return {
    ...begun,
    t: (line, names) => {
      const isExcel = line.detail.format === 'xlsx';
      if (line.detail.rows === undefined) return (isExcel ? excelBegun : begun).t(line, names);
      const downloaded = (isExcel ? excelEnded : ended).t(line, names);
      return line.detail.whole === false
        ? t('{what}, then the download broke off', { what: downloaded })
        : downloaded;
    },
  };
}

/** Names the product that a person or a cohort was given. Of several products, returns the number. */
function formatGiven({ detail: { product_ids: ids } }: AuditLine, names: ProductNames): string {
  if (!Array.isArray(ids)) return t('was given access to all products');
  const name = ids.length === 1 ? names.get(String(ids[0])) : undefined;
  if (name !== undefined) return t('was given access to {product}', { product: isolate(name) });
  return tCount(ids.length, {
    one: 'was given access to {count} product',
    other: 'was given access to {count} products',
  });
}

/** Returns the role before and after the change; null for no role. */
function rolesOf({ detail: { team_role } }: AuditLine): [TeamRole | null, TeamRole | null] {
  const [before = null, after = null] = Array.isArray(team_role) ? team_role : [];
  return [before, after];
}

function formatNewRole(line: AuditLine): string {
  const [, role] = rolesOf(line);
  return role === null ? '–' : tServed(role);
}

function formatRoleChange(line: AuditLine): string {
  const [before, after] = rolesOf(line);
  if (before === null) return t('was given the role {role}', { role: formatNewRole(line) });
  if (after === null) return t('was removed from the team');
  return t('role changed from {old} to {new}', { old: tServed(before), new: tServed(after) });
}

/** Without roles, the line is about a new address: an owner would have lost the address with which they sign in. */
function formatRefusal(line: AuditLine): string {
  if (!('team_role' in line.detail)) return t('change of address refused: the portal needs an owner');
  return rolesOf(line)[1] === null
    ? t('removal refused: the portal needs an owner')
    : t('change of role refused: the portal needs an owner');
}

function formatEdit({ detail: { email } }: AuditLine): string {
  if (!Array.isArray(email)) return t('record of the person changed');
  return t('address changed from {old} to {new}', { old: String(email[0]), new: String(email[1]) });
}

function formatMoved({ detail: { cohort } }: AuditLine): string {
  const [old, to] = Array.isArray(cohort) ? cohort : [];
  if (typeof old !== 'string' || typeof to !== 'string') return t('was moved to another cohort');
  return t('was moved from {old} to {new}', { old: isolate(old), new: isolate(to) });
}

/** The summary of many people who joined, left or moved. Older lines do not name the cohorts of a move. */
function formatMembers(act: 'join' | 'leave' | 'move', line: AuditLine): string {
  const count = countOf(line, 'count');
  if (act !== 'move') return fillIn((act === 'join' ? formatJoined : formatRemoved)(count), partsOf(line));
  const [old, to] = Array.isArray(line.detail.cohort) ? line.detail.cohort : [];
  if (typeof old !== 'string' || typeof to !== 'string') return formatManyMovedAway(count);
  return fillIn(formatManyMoved(count), { old: isolate(old), new: isolate(to) });
}

/** Actions on all people of a filter, or on a list of people (R-IMP-31). */
function formatAction(line: AuditLine, names: ProductNames): string {
  const { act, product_ids: ids } = line.detail;
  if (act === 'join' || act === 'leave' || act === 'move') return formatMembers(act, line);
  const count = countOf(line, 'count');
  const name = Array.isArray(ids) && ids.length === 1 ? names.get(String(ids[0])) : undefined;
  return name === undefined
    ? formatManyGivenProducts(count)
    : fillIn(formatManyGiven(count), { product: isolate(name) });
}

const STOPPED = withReason(sentence(CircleAlert, 'upload stopped'));

const formatEnded = (what: string, end: string): string => t('{what}, then {end}', { what, end });

/** Returns what an import added, of its kind; null if it added nothing, and for lines of versions without `count`. */
function formatImported(line: AuditLine): string | null {
  const { kind, file_name, count, joined, productAccess, failures } = line.detail;
  if (count === undefined) return null;
  const file =
    typeof file_name === 'string' && file_name !== ''
      ? t('file {name}', { name: isolate(file_name) })
      : t('a file');
  const numbers = [count, joined, productAccess, failures].map((number) => Number(number ?? 0));
  const [added = 0, members = 0, grants = 0, failed = 0] = numbers;
  const found = [
    { number: added, format: ADDED[String(kind)] },
    { number: members, format: formatJoinedByFile },
    { number: grants, format: formatGivenByFile },
  ].find(({ number }) => number > 0);
  if (found?.format === undefined) return null;
  const what = fillIn(found.format(found.number), { ...partsOf(line), file });
  return failed === 0 ? what : fillIn(formatFailedRows(failed), { what });
}

function formatFinished({ detail: { success, duplicates, failures } }: AuditLine): string {
  return t('upload finished: {new} new, {duplicates} duplicates, {failed} failed', {
    new: Number(success ?? 0),
    duplicates: Number(duplicates ?? 0),
    failed: Number(failures ?? 0),
  });
}

function formatStarted({ detail: { kind } }: AuditLine): string {
  if (kind === 'products') return t('upload of products started');
  return kind === 'users' ? t('upload of people started') : t('upload of codes started');
}

/** Returns the name of a mail within a sentence (R-TRAIL-30, R-TRAIL-31). */
function formatMail(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return t('sign-in email');
  if (kind === 'code') return t('‘Your code for {product}’', { product: formatProduct(line) });
  if (kind === 'team') return t('invitation to the team');
  if (kind === 'ready') return t('‘Your benefits are ready’');
  if (kind === 'stock') return t('low-stock email');
  return kind === 'notice' ? t('email to the owners') : t('email');
}

/** The summary of the mails about one product to all members of the team has their number. */
function formatQueued(line: AuditLine): string {
  const { kind, count } = line.detail;
  if (kind === 'stock' && typeof count === 'number') return t('low-stock email to {count} people', { count });
  return t('{mail} queued', { mail: formatMail(line) });
}

/** A mail that the mail server has accepted. The portal does not know whether the mail arrived. */
function formatSent(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return t('was sent the sign-in email');
  if (kind === 'team') return t('was sent the invitation to the team');
  if (kind === 'stock') return t('low-stock email sent');
  if (kind === 'notice') return t('was sent the email to the owners');
  return t('was sent {mail}', { mail: formatMail(line) });
}
