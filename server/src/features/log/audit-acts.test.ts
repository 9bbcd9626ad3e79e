// Checks that the list below has every function that writes to the database, with the actions of its audit lines or the
// reason why it has none (R-TRAIL-01).
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SRC = new URL('../../', import.meta.url).pathname;
const SCHEMA = new URL('../../../schema/', import.meta.url).pathname;

// Matches statements that write, and calls of SQL functions that write.
const WRITES =
  /\binsert\s+into\b|\bupdate\s+(?!of\b|skip\b|nowait\b|set\b)\w+(?:\s+\w+)?\s+set\b|\bdelete\s+from\b|\btruncate\s|\b(?:claim_next_coupon|enqueue_job|advance_claim_days)\s*\(/i;

/** The actions of the audit lines, or the reason why there is no audit line. */
type Told = string[] | string;

const LOG = 'writes the log itself';
const EXPIRED = 'deletes rows that have expired; nobody acts';
const SIGN_IN = 'a step of a sign-in, whose end is session.start';
const COUNTER = 'a count for a limit, not a change';
const DERIVED = 'figures that the portal can work out again at any time';
const QUEUE = 'a job; the acts of its work tell of it';
const AGAIN = 'who gave again what is there already; access stays as it was';
const PART = 'a part of an act whose caller writes the line: ';

const TOLD: Record<string, Told> = {
  createSignInLine: LOG,
  createServiceLine: LOG,
  deleteExpiredTokens: EXPIRED,
  deleteMailWindows: EXPIRED,
  deleteWrongCodes: EXPIRED,
  createFlowState: SIGN_IN,
  takeProviderFlow: SIGN_IN,
  deleteFlowState: SIGN_IN,
  deleteFlowStatesOfEmail: SIGN_IN,
  enqueueMail: SIGN_IN,
  findLastMail: COUNTER,
  deleteMailOf: SIGN_IN,
  deleteMailOfLink: SIGN_IN,
  saveOneTimeToken: SIGN_IN,
  spendLink: SIGN_IN,
  claimCodeTries: SIGN_IN,
  deleteOneTimeToken: SIGN_IN,
  countWrongCodes: COUNTER,
  addWrongCode: COUNTER,
  query: COUNTER,
  deleteRateCounts: COUNTER,
  createSession: ['session.start'],
  setRefreshCounter: 'a session that goes on',
  deleteSession: ['session.end', 'session.reuse'],
  deleteEndedSessions: EXPIRED,
  deleteSessionsOfUser: ['session.end'],
  deleteOtherSessions: ['session.end'],
  deleteSessionsOfEmail: ['session.revoke', 'team.sign_out', 'team.remove'],
  createSigningKey: ['signing_key.rotate'],
  retireSigningKey: ['signing_key.rotate'],
  deleteRetiredKeys: EXPIRED,
  deleteSigningKeys: ['signing_key.rotate'],
  limitTimesAhead: COUNTER,
  saveUser: ['session.start'],
  findUserOfIdentity: ['session.start'],
  saveIdentity: ['identity.link'],
  linkPerson: ['identity.link'],
  deleteProviderIdentities: ['session.revoke'],
  deleteUser: ['user.edit'],
  acceptMailsAgain: SIGN_IN,
  updateMetadata: 'what people store about themselves at the sign-in service',
  recordApplied: 'a migration; the table of migrations tells of it',
  insertJob: QUEUE,
  claimJobs: QUEUE,
  renewJob: QUEUE,
  finishJob: QUEUE,
  repeatJob: QUEUE,
  postponeJob: QUEUE,
  failJob: QUEUE,
  limitDueTimes: QUEUE,
  endLeases: QUEUE,
  retryJobs: ['job.retry'],
  cancelJob: ['job.cancel', 'import.cancel'],
  deleteEndedJobs: EXPIRED,
  lockMailPace: COUNTER,
  setNextMail: COUNTER,
  countAccepted: COUNTER,
  halvePace: COUNTER,
  isOnlyDelayed: COUNTER,
  createMailLine: LOG,
  setMailRefusal: ['mail.fail'],
  grantAccess: ['grant.create'],
  noteGivers: AGAIN,
  createAssignedCoupon: ['coupon.redeem', 'coupon.generate', 'coupon.regenerate', 'coupon.replace'],
  assignCoupon: ['coupon.issue'],
  retireCurrentCoupon: ['coupon.regenerate', 'coupon.replace'],
  revokeCoupon: ['coupon.revoke'],
  promoteNewestCoupon: ['coupon.revoke'],
  assignSharedRow: ['coupon.redeem', 'coupon.generate', 'coupon.regenerate', 'coupon.replace'],
  createAuditLine: LOG,
  createRows: 'restores a backup, with its log, into an empty database',
  voidNextOfBatch: ['batch.void'],
  markNextOfBatchDead: ['batch.void'],
  dateNextOfBatch: ['batch.use_by'],
  expireNextOfBatch: ['batch.use_by'],
  freeNextOfBatch: ['batch.use_by'],
  undoNextOfBatch: ['batch.void'],
  restartCheck: ['import.check'],
  beginImport: ['import.start'],
  deleteChecked: ['import.discard'],
  deleteOldChecks: EXPIRED,
  deleteRefused: 'another file takes the place of a refused one',
  deleteRows: ['import.start', 'import.check'],
  claimBy: ['coupon.redeem', 'coupon.generate', 'coupon.regenerate', 'coupon.replace'],
  recordClaimPlaces: DERIVED,
  reopenClaimDays: DERIVED,
  joinCohort: ['member.add'],
  leaveCohort: ['member.remove'],
  moveMembers: ['member.move', 'member.arrive'],
  createCohort: ['cohort.create'],
  updateCohort: ['cohort.edit', 'cohort.archive', 'cohort.unarchive'],
  setDatesOfCohort: ['cohort.dates'],
  tryToWrite: 'a test of the database, rolled back',
  expireNextCoupons: ['coupon.expire'],
  countExpired: `${PART}coupon.expire`,
  auditExpiry: ['coupon.expire'],
  updateGrantDays: ['grant.edit'],
  setWithdrawn: ['grant.withdraw'],
  createImportErrors: ['import.done', 'import.fail', 'import.check'],
  createImportRows: ['import.done', 'import.fail'],
  withSource: ['import.start', 'import.check'],
  storePieces: ['import.start', 'import.check'],
  deleteLostSources: EXPIRED,
  createBulkJob: ['batch.void', 'batch.use_by', 'user.act', 'import.undo', 'import.start', 'import.check'],
  addStep: [
    'batch.void',
    'batch.use_by',
    'user.act',
    'import.undo',
    'import.done',
    'import.fail',
    'import.check',
  ],
  endGroup: LOG,
  noteUndoJob: ['import.undo'],
  setUndone: ['import.undo'],
  setImportState: ['import.fail', 'import.cancel', 'job.retry'],
  setImportWaits: QUEUE,
  recoverImports: QUEUE,
  deleteSourcesWithoutJob: EXPIRED,
  createBatch: ['coupon.create', 'import.start', 'coupon.generate'],
  createCoupon: ['coupon.create'],
  createCoupons: ['import.done'],
  confirmCode: ['coupon.confirm'],
  confirmNextOfProduct: ['coupon.confirm'],
  noteSkipped: ['import.done'],
  noteGenerated: ['coupon.create', 'coupon.generate', 'coupon.regenerate', 'coupon.replace'],
  freeSharedAgain: ['coupon.create', 'import.done'],
  deleteOldLines: ['audit.prune'],
  createPastRedemptions: 'sample data of a demo',
  withdrawGrants: ['grant.withdraw'],
  leaveCohorts: ['member.remove'],
  endMails: ['person.erase'],
  erasePersonRow: ['person.erase'],
  eraseActor: ['person.erase'],
  eraseNotes: ['person.erase'],
  eraseUploads: ['person.erase'],
  eraseLog: ['person.erase'],
  hashLeftTeam: ['person.erase'],
  deleteOldErrors: EXPIRED,
  deleteOldRows: EXPIRED,
  deleteOldFiles: EXPIRED,
  deleteOldNotices: EXPIRED,
  deleteCountsOf: ['person.erase'],
  hideSetup: 'what one member sees on the own dashboard',
  updatePerson: ['user.edit', 'team.rename'],
  clearMailRefusal: ['mail.allow'],
  leaveIdentities: ['user.edit'],
  deleteMailsTo: ['user.edit', 'mail.fail'],
  updateProduct: ['product.edit'],
  saveLogo: ['product.logo'],
  deleteLogo: ['product.logo'],
  updateStatus: ['product.pause', 'product.resume', 'product.archive', 'product.unarchive'],
  createProduct: ['product.create'],
  createProducts: ['product.create'],
  countAct: COUNTER,
  createNotices: ['mail.queue'],
  findNextReadyMail: COUNTER,
  enqueueReadyMails: ['mail.queue'],
  releaseNotices: ['import.tell'],
  takeNotices: `${PART}mail.send`,
  endNotices: ['mail.send', 'mail.fail'],
  cancelNotices: ['import.cancel', 'import.undo', 'user.edit'],
  countReveals: COUNTER,
  recordReveal: ['coupon.reveal', 'coupon.refused_reveal'],
  markSent: ['note.add', 'product.create'],
  deleteSentForms: EXPIRED,
  clearStockNotices: DERIVED,
  claimStockNotice: QUEUE,
  clearDaysAlerts: DERIVED,
  claimDaysAlert: QUEUE,
  storeForecasts: DERIVED,
  addUpTally: DERIVED,
  rebuildTally: ['tally.recount'],
  createMember: ['team.invite', 'team.role'],
  setTeamRole: ['team.invite', 'team.role', 'team.remove'],
  setInvitation: ['team.invite'],
  setLeftTeam: ['team.invite', 'team.role', 'team.remove'],
  withdrawGrantsOf: ['grant.withdraw', 'grant.edit'],
  handOverMembers: ['import.undo'],
  archiveProductsOf: ['product.archive'],
  upsertUser: ['user.create', 'user.update'],
  createUsers: ['user.create'],
  updateNames: ['user.edit'],
  linkAuthIdentity: ['user.link'],
  voidNamedCoupons: ['coupon.void'],
  voidNextCoupons: ['coupon.void'],
  markNextDead: ['coupon.void'],
  voidSharedCodes: ['coupon.void'],
};

const sources = globSync(`${SRC}**/*.ts`).filter((file) => !file.endsWith('.test.ts'));
const read = (file: string) => readFileSync(file, 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');

/** Returns the functions and constants of a file whose text contains a statement that writes. */
function listWriters(file: string): string[] {
  const declarations = read(file).split(/^(?=(?:export )?(?:async )?(?:function|const) )/m);
  return declarations
    .filter((text) => WRITES.test(text))
    .map((text) => /(?:function\*?|const) (\w+)/.exec(text)?.[1] ?? '');
}

test('R-TRAIL-01: each function that writes names the acts that tell of it, or why none does', () => {
  expect(sources.flatMap(listWriters).toSorted()).toEqual(Object.keys(TOLD).toSorted());
});

test('R-TRAIL-01: each of these acts is written somewhere', () => {
  const texts = [
    ...sources.map(read),
    ...globSync(`${SCHEMA}*.sql`).map((file) => readFileSync(file, 'utf8')),
  ].join();
  const acts = new Set(Object.values(TOLD).flatMap((told) => (Array.isArray(told) ? told : [])));
  const isWritten = (act: string) => texts.includes(`'${act}'`);
  expect([...acts].filter((act) => !isWritten(act))).toEqual([]);
});
