// The words of each act of the log (R-TRAIL-51, R-TRAIL-53).
import type { AuditLine, TeamRole } from '@portal/contract';
import {
  CircleAlert,
  Download,
  Eye,
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
} from 'lucide-react';
import { isolate } from '../../ui/text.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { type ProductNames, sayHint, sayName, sayProduct } from '../nouns/log-line.ts';
import { sayRoleWithin } from '../role.tsx';

type Act = {
  icon: LucideIcon;
  /** True if something failed or was refused. The icon is then red. */
  isBad?: true;
  sayTag?: () => string;
  /** Returns the sentence. It does not name its subject, for example the person (N-78). */
  say: (line: AuditLine, names: ProductNames) => string;
  /** For several lines of the same act, second and actor. Without it, only lines with the same sentence are folded. */
  sayMany?: (lines: readonly AuditLine[], names: ProductNames) => string;
};

/** All acts that have words (R-TRAIL-51, R-TRAIL-53). log.test.ts compares them to the acts that the server writes. */
const ACTS: Record<string, Act> = {
  'grant.create': {
    icon: Shield,
    say: (line, names) => sayGiven([line], names),
    sayMany: sayGiven,
  },
  'grant.edit': {
    icon: Shield,
    say: (line) =>
      withReason(
        line.product === null
          ? say('days of the access to all products changed by {name}', { name: sayName(line) })
          : say('days of the access to {product} changed by {name}', {
              product: sayProduct(line),
              name: sayName(line),
            }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: 'days of {count} access changed', other: 'days of {count} accesses changed' }),
  },
  'grant.withdraw': {
    icon: Shield,
    say: (line) =>
      withReason(
        line.product === null
          ? say('access to all products removed by {name}', { name: sayName(line) })
          : say('access to {product} removed by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} access removed', other: '{count} accesses removed' }),
  },
  // Written by versions before grants had days.
  'user.grant_all': { icon: Shield, say: () => say('was given access to all products') },
  'coupon.redeem': {
    icon: Ticket,
    say: (line) => withHint(say('took a code of {product}', { product: sayProduct(line) }), line),
    sayMany: ({ length }) => sayCount(length, { one: 'took {count} code', other: 'took {count} codes' }),
  },
  'coupon.generate': {
    icon: Ticket,
    say: (line) => withHint(say('was given a code of {product}', { product: sayProduct(line) }), line),
    sayMany: sayCodesGiven,
  },
  'coupon.regenerate': {
    icon: RotateCcw,
    say: (line) => withHint(say('was given another code of {product}', { product: sayProduct(line) }), line),
    sayMany: sayCodesGiven,
  },
  'coupon.replace': {
    icon: RotateCcw,
    say: (line) =>
      withReason(
        say('code of {product} replaced by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} code replaced', other: '{count} codes replaced' }),
  },
  'coupon.revoke': {
    icon: TicketX,
    say: (line) =>
      withReason(
        say('code of {product} withdrawn by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} code withdrawn', other: '{count} codes withdrawn' }),
  },
  'coupon.create': {
    icon: Plus,
    say: (line) => withHint(say('code added'), line),
    sayMany: ({ length }) => sayCount(length, { one: '{count} code added', other: '{count} codes added' }),
  },
  // Without a coupon, the line is about many codes of a file or a product.
  'coupon.void': {
    icon: TicketX,
    ...counted('voided', sayVoided),
    say: (line) =>
      line.coupon === null ? sayVoided(countOf(line, 'voided')) : withHint(say('code voided'), line),
  },
  'coupon.expire': {
    icon: TicketX,
    ...counted('count', (count) =>
      sayCount(count, { one: '{count} code expired', other: '{count} codes expired' }),
    ),
  },
  'coupon.reveal': {
    icon: Eye,
    say: (line) => withHint(say('code shown'), line),
    sayMany: ({ length }) => sayCount(length, { one: '{count} code shown', other: '{count} codes shown' }),
  },
  'coupon.refused_reveal': {
    icon: CircleAlert,
    isBad: true,
    say: () => say('code not shown: too many codes were shown within a few minutes'),
  },
  'batch.void': { icon: TicketX, ...counted('voided', sayVoided) },
  'batch.use_by': {
    icon: Ticket,
    ...counted('changed', (count) =>
      sayCount(count, { one: 'last day set for {count} code', other: 'last day set for {count} codes' }),
    ),
  },
  'cohort.create': { icon: Users, say: () => say('cohort added') },
  'cohort.edit': { icon: Users, say: () => say('cohort changed') },
  'cohort.archive': { icon: Users, say: () => say('cohort archived') },
  'cohort.unarchive': { icon: Users, say: () => say('cohort brought back') },
  'cohort.dates': { icon: Shield, say: () => say('days of all access of the cohort changed') },
  'member.add': {
    icon: Users,
    say: (line) => say('joined {cohort}', { cohort: sayCohort(line) }),
    sayMany: ({ length }) => sayJoined(length),
  },
  'member.remove': {
    icon: Users,
    say: (line) => say('was removed from {cohort}', { cohort: sayCohort(line) }),
    sayMany: ({ length }) => sayRemoved(length),
  },
  'member.move': { icon: Users, say: sayMoved, sayMany: ({ length }) => sayManyMoved(length) },
  'member.arrive': {
    icon: Users,
    ...counted('count', (count) =>
      sayCount(count, {
        one: '{count} person came from another cohort',
        other: '{count} people came from another cohort',
      }),
    ),
  },
  'user.act': { icon: Users, say: sayAct },
  'user.create': {
    icon: User,
    say: () => say('person added'),
    sayMany: ({ length }) => sayCount(length, { one: '{count} person added', other: '{count} people added' }),
  },
  'user.update': { icon: Pencil, say: () => say('record of the person saved') },
  'user.edit': { icon: Pencil, say: sayEdit },
  'user.link': { icon: Link2, say: () => say('linked to the account that signs in') },
  'person.view': { icon: Eye, say: () => say('was looked at as this learner') },
  // Written by versions before the team had four roles.
  'user.make_admin': { icon: Key, say: () => say('was made administrator') },
  'user.remove_admin': { icon: Key, say: () => say('is no administrator any more') },
  'team.invite': {
    icon: Key,
    say: (line) => say('was invited to the team as {role}', { role: sayNewRole(line) }),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} invitation to the team', other: '{count} invitations to the team' }),
  },
  'team.role': { icon: Key, say: sayRoleChange },
  'team.remove': { icon: Key, say: () => say('was removed from the team') },
  'team.sign_out': { icon: LogOut, say: (line) => say('was signed out by {name}', { name: sayName(line) }) },
  'team.refused_last_owner': { icon: CircleAlert, isBad: true, say: sayRefusal },
  'session.start': {
    icon: LogIn,
    say: ({ detail }) =>
      detail.method === 'oauth' ? say('signed in with a provider') : say('signed in by mail'),
  },
  'session.end': {
    icon: LogOut,
    say: ({ detail }) => {
      if (detail.scope === 'global') return say('signed out everywhere');
      return detail.scope === 'others' ? say('signed out everywhere else') : say('signed out');
    },
  },
  'session.reuse': {
    icon: CircleAlert,
    isBad: true,
    say: () => say('session ended: an old token was used again'),
  },
  'session.revoke': { icon: LogOut, say: () => say('was signed out everywhere') },
  'identity.link': { icon: Link2, say: () => say('account of a provider linked') },
  'signing_key.rotate': { icon: Key, say: () => say('key of the sign-in service replaced') },
  'import.start': {
    icon: Upload,
    say: sayStarted,
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} upload started', other: '{count} uploads started' }),
  },
  'import.done': {
    icon: Upload,
    say: ({ detail: { success, duplicates, failures } }) =>
      say('upload finished: {new} new, {duplicates} duplicates, {failed} failed', {
        new: sayNumber(Number(success ?? 0)),
        duplicates: sayNumber(Number(duplicates ?? 0)),
        failed: sayNumber(Number(failures ?? 0)),
      }),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} upload finished', other: '{count} uploads finished' }),
  },
  'import.fail': {
    icon: CircleAlert,
    isBad: true,
    sayTag: () => say('Failed'),
    say: (line) => withReason(say('upload stopped'), line),
  },
  'import.check': { icon: Upload, say: () => say('file checked') },
  'import.discard': { icon: Upload, say: () => say('checked file discarded') },
  'import.undo': {
    icon: Upload,
    say: ({ detail: { people, products } }) =>
      Number(products ?? 0) > 0
        ? sayCount(Number(products), {
            one: 'upload taken back: {count} product archived',
            other: 'upload taken back: {count} products archived',
          })
        : sayCount(Number(people ?? 0), {
            one: 'upload taken back: {count} person lost access',
            other: 'upload taken back: {count} people lost access',
          }),
  },
  'import.cancel': { icon: Upload, say: () => say('upload cancelled') },
  // Written by versions whose imports had one line, at the start.
  'products.import': { icon: Upload, say: () => say('upload of products started') },
  'users.import': { icon: Upload, say: () => say('upload of people started') },
  'coupons.import': { icon: Upload, say: () => say('upload of codes started') },
  'export.codes': exportAct({
    begun: () => say('download of codes as CSV begun'),
    ended: (count) =>
      sayCount(count, { one: '{count} code downloaded as CSV', other: '{count} codes downloaded as CSV' }),
  }),
  'export.users': exportAct({
    begun: () => say('download of people as CSV begun'),
    ended: (count) =>
      sayCount(count, { one: '{count} person downloaded as CSV', other: '{count} people downloaded as CSV' }),
  }),
  // A file about an upload of codes has one line (R-IMP-46).
  'export.file': {
    icon: Download,
    ...counted('rows', (count) =>
      sayCount(count, {
        one: '{count} row of an upload of codes downloaded as CSV',
        other: '{count} rows of an upload of codes downloaded as CSV',
      }),
    ),
  },
  'export.redemptions': exportAct({
    begun: () => say('download of redemptions as CSV begun'),
    ended: (count) =>
      sayCount(count, {
        one: '{count} redemption downloaded as CSV',
        other: '{count} redemptions downloaded as CSV',
      }),
  }),
  'product.create': {
    icon: Package,
    say: () => say('product added'),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} product added', other: '{count} products added' }),
  },
  'product.edit': { icon: Pencil, say: () => say('product changed') },
  'product.pause': { icon: Package, say: () => say('product paused') },
  'product.resume': { icon: Package, say: () => say('product resumed') },
  'product.archive': { icon: Package, say: () => say('product archived') },
  'product.unarchive': { icon: Package, say: () => say('product brought back') },
  'mail.queue': { icon: Mail, say: (line) => say('{mail} queued', { mail: sayMail(line) }) },
  'mail.send': { icon: MailCheck, say: saySent },
  'mail.retry': {
    icon: Mail,
    say: (line) => say('{mail} not taken yet, the portal tries again', { mail: sayMail(line) }),
  },
  'mail.fail': {
    icon: MailX,
    isBad: true,
    sayTag: () => say('Failed'),
    say: (line) => say('{mail} not sent', { mail: sayMail(line) }),
  },
  'mail.bounce': {
    icon: MailX,
    isBad: true,
    sayTag: () => say('Bounced'),
    say: (line) => say('{mail} came back', { mail: sayMail(line) }),
  },
  'mail.allow': { icon: Mail, say: () => say('mails to this address are sent again') },
  'note.add': { icon: StickyNote, say: () => say('note') },
  'job.retry': {
    icon: RefreshCw,
    ...counted('retried', (count) =>
      sayCount(count, { one: '{count} failed job tried again', other: '{count} failed jobs tried again' }),
    ),
  },
  'job.cancel': { icon: RefreshCw, say: () => say('job cancelled') },
  'tally.recount': { icon: RefreshCw, say: () => say('figures counted again') },
  'audit.prune': {
    icon: Download,
    say: (line) =>
      sayCount(countOf(line, 'lines'), {
        one: '{count} old line of the log moved to a file',
        other: '{count} old lines of the log moved to a file',
      }),
  },
  'audit.export': { icon: Download, say: () => say('log downloaded as CSV') },
};

/** Returns undefined for an act without words; its name is then shown (R-TRAIL-53). */
export function findAct(action: string): Act | undefined {
  return Object.hasOwn(ACTS, action) ? ACTS[action] : undefined;
}

export const KNOWN_ACTS: readonly string[] = Object.keys(ACTS);

/** Returns the number in the field `field` of the line's `detail`; 1 if there is none. */
function countOf({ detail }: AuditLine, field: string): number {
  return Number(detail[field] ?? 1);
}

/** Returns the sentences of an act whose lines have a count in the field `field` of their `detail`. */
function counted(field: string, sayTotal: (count: number) => string): Pick<Act, 'say' | 'sayMany'> {
  return {
    say: (line) => sayTotal(countOf(line, field)),
    sayMany: (lines) => sayTotal(lines.reduce((sum, line) => sum + countOf(line, field), 0)),
  };
}

/** Adds the hint of the line's code, such as '(…K5M7)'. */
function withHint(sentence: string, line: AuditLine): string {
  const hint = sayHint(line);
  return hint === null ? sentence : `${sentence} (${hint})`;
}

function withReason(sentence: string, { detail: { reason } }: AuditLine): string {
  return typeof reason === 'string' && reason !== '' ? `${sentence}: ${isolate(reason)}` : sentence;
}

/**
 * Several lines are about one person who was given several products, or about many people who were given the same.
 * Otherwise, only the lines are counted.
 */
function sayGiven(lines: readonly AuditLine[], names: ProductNames): string {
  // null stands for all products.
  const lists = lines.map(({ detail: { product_ids: ids } }) =>
    Array.isArray(ids) ? ids.map(String) : null,
  );
  const people = new Set(lines.map(({ person, cohort }) => person?.user_id ?? cohort?.cohort_id));
  const isSame = new Set(lists.map((ids) => ids?.toSorted().join() ?? 'all')).size === 1;
  if (people.size > 1 && !isSame) {
    return sayCount(lines.length, { one: '{count} access given', other: '{count} accesses given' });
  }
  if (lists.includes(null)) return say('was given access to all products');
  const ids = [...new Set(lists.flatMap((list) => list ?? []))];
  const name = ids.length === 1 && ids[0] !== undefined ? names.get(ids[0]) : undefined;
  if (name !== undefined) return say('was given access to {product}', { product: isolate(name) });
  return sayCount(ids.length, {
    one: 'was given access to {count} product',
    other: 'was given access to {count} products',
  });
}

/** Returns the role before and after the change; null for no role. */
function rolesOf({ detail: { team_role } }: AuditLine): [TeamRole | null, TeamRole | null] {
  const [before = null, after = null] = Array.isArray(team_role) ? team_role : [];
  return [before, after];
}

function sayNewRole(line: AuditLine): string {
  const [, role] = rolesOf(line);
  return role === null ? '–' : sayRoleWithin(role);
}

function sayRoleChange(line: AuditLine): string {
  const [before, after] = rolesOf(line);
  if (before === null) return say('was given the role {role}', { role: sayNewRole(line) });
  if (after === null) return say('was removed from the team');
  return say('role changed from {old} to {new}', { old: sayRoleWithin(before), new: sayRoleWithin(after) });
}

/** Without roles, the line is about a new address: an owner would have lost the address with which they sign in. */
function sayRefusal(line: AuditLine): string {
  if (!('team_role' in line.detail)) return say('change of address refused: the portal needs an owner');
  return rolesOf(line)[1] === null
    ? say('removal refused: the portal needs an owner')
    : say('change of role refused: the portal needs an owner');
}

function sayEdit({ detail: { email } }: AuditLine): string {
  if (!Array.isArray(email)) return say('record of the person changed');
  return say('address changed from {old} to {new}', { old: String(email[0]), new: String(email[1]) });
}

function sayCodesGiven({ length }: readonly AuditLine[]): string {
  return sayCount(length, { one: 'was given {count} code', other: 'was given {count} codes' });
}

function sayVoided(count: number): string {
  return sayCount(count, { one: '{count} code voided', other: '{count} codes voided' });
}

function sayCohort({ cohort }: AuditLine): string {
  return cohort === null ? say('a cohort') : isolate(cohort.name);
}

function sayMoved({ detail: { cohort } }: AuditLine): string {
  const [old, to] = Array.isArray(cohort) ? cohort : [];
  if (typeof old !== 'string' || typeof to !== 'string') return say('was moved to another cohort');
  return say('was moved from {old} to {new}', { old: isolate(old), new: isolate(to) });
}

/** Acts on all people of a filter, or on a list of people (R-IMP-31). */
function sayAct(line: AuditLine): string {
  const count = countOf(line, 'count');
  if (line.detail.act === 'join') return sayJoined(count);
  if (line.detail.act === 'leave') return sayRemoved(count);
  if (line.detail.act === 'move') return sayManyMoved(count);
  return sayCount(count, {
    one: '{count} person was given products',
    other: '{count} people were given products',
  });
}

function sayJoined(count: number): string {
  return sayCount(count, { one: '{count} person joined a cohort', other: '{count} people joined a cohort' });
}

function sayRemoved(count: number): string {
  return sayCount(count, {
    one: '{count} person removed from a cohort',
    other: '{count} people removed from a cohort',
  });
}

function sayManyMoved(count: number): string {
  return sayCount(count, {
    one: '{count} person moved to another cohort',
    other: '{count} people moved to another cohort',
  });
}

type Words = { begun: () => string; ended: (count: number) => string };

/** A download has a line when it begins, and one with the number of rows when it ends (R-IMP-23). */
function exportAct({ begun, ended }: Words): Act {
  return {
    icon: Download,
    say: (line) => {
      if (line.detail.rows === undefined) return begun();
      const downloaded = ended(countOf(line, 'rows'));
      return line.detail.whole === false
        ? say('{what}, then the download broke off', { what: downloaded })
        : downloaded;
    },
  };
}

function sayStarted({ detail: { kind } }: AuditLine): string {
  if (kind === 'products') return say('upload of products started');
  return kind === 'users' ? say('upload of people started') : say('upload of codes started');
}

/** Returns the name of a mail within a sentence (R-TRAIL-30, R-TRAIL-31). */
function sayMail(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return say('sign-in mail');
  if (kind === 'code') return say('‘Your code for {product}’', { product: sayProduct(line) });
  if (kind === 'team') return say('invitation to the team');
  if (kind === 'ready') return say('‘Your benefits are ready’');
  if (kind === 'stock') return say('mail about a low stock');
  return kind === 'notice' ? say('mail to the owners') : say('mail');
}

/** The mail server took the mail. Whether the mail arrived, the portal does not know. */
function saySent(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return say('was sent the sign-in mail');
  if (kind === 'team') return say('was sent the invitation to the team');
  if (kind === 'stock') return say('was sent the mail about a low stock');
  if (kind === 'notice') return say('was sent the mail to the owners');
  return say('was sent {mail}', { mail: sayMail(line) });
}
