// Entry point of the contract: all endpoints, schemas and types that browser and server share.
import * as actOnUsers from './act-on-users.ts';
import * as audit from './audit.ts';
import * as batches from './batches.ts';
import * as cohorts from './cohorts.ts';
import * as coupons from './coupons.ts';
import * as exports from './exports.ts';
import * as find from './find.ts';
import * as grants from './grants.ts';
import * as importActs from './import-acts.ts';
import * as importUndo from './import-undo.ts';
import * as imports from './imports.ts';
import * as jobs from './jobs.ts';
import * as people from './people.ts';
import * as products from './products.ts';
import * as redemption from './redemption.ts';
import * as session from './session.ts';
import * as stats from './stats.ts';
import * as team from './team.ts';
import * as users from './users.ts';
import * as viewAs from './view-as.ts';
import * as why from './why.ts';

export * from './act-on-users.ts';
export * from './audit.ts';
export * from './batches.ts';
export * from './brand.ts';
export * from './canonical.ts';
export * from './code-hint.ts';
export * from './cohorts.ts';
export * from './coupons.ts';
export * from './csv.ts';
export * from './csv-days.ts';
export * from './csv-ignored.ts';
export * from './csv-layout.ts';
export * from './csv-lines.ts';
export * from './csv-names.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './exports.ts';
export * from './fields.ts';
export * from './find.ts';
export * from './grants.ts';
export * from './import-acts.ts';
export * from './import-preview.ts';
export * from './import-undo.ts';
export * from './import-upload.ts';
export * from './imports.ts';
export * from './jobs.ts';
export * from './language.ts';
export type * from './page.ts';
export * from './people.ts';
export * from './products.ts';
export * from './ready-mails.ts';
export * from './redemption.ts';
export * from './session.ts';
export * from './stats.ts';
export * from './team.ts';
export * from './team-role.ts';
export * from './users.ts';
export * from './view-as.ts';
export * from './why.ts';
export { type Catalogue, type Forms, fillIn } from './words/catalogue.ts';

/** Every endpoint of the API. The test of access rights and the API description iterate over this list. */
export const endpoints = [
  session.getSessionUser,
  session.checkAdmin,
  products.getProduct,
  products.listProducts,
  products.getProductRecord,
  products.createProduct,
  products.editProduct,
  products.setProductStatus,
  products.listMyProducts,
  users.listUsers,
  users.saveUser,
  users.getUserAccess,
  why.explainAccess,
  actOnUsers.actOnUsers,
  actOnUsers.countPeople,
  viewAs.viewAsLearner,
  coupons.listCoupons,
  coupons.createCoupon,
  coupons.generateCoupon,
  coupons.regenerateCoupon,
  coupons.revokeCoupon,
  coupons.revealCoupon,
  coupons.voidCoupon,
  batches.listBatches,
  batches.getBatch,
  batches.voidBatch,
  batches.setBatchUseBy,
  grants.createGrants,
  grants.editGrant,
  grants.withdrawGrant,
  cohorts.listCohorts,
  cohorts.getCohort,
  cohorts.createCohort,
  cohorts.editCohort,
  cohorts.setCohortDates,
  cohorts.addMembers,
  cohorts.removeMembers,
  cohorts.moveMembers,
  redemption.redeemCoupon,
  imports.importProducts,
  imports.importUsers,
  imports.importCoupons,
  imports.listImports,
  imports.getImport,
  imports.cancelImport,
  importActs.startImport,
  importActs.discardImport,
  importActs.getImportErrors,
  importActs.getImportDuplicates,
  importActs.getImportGenerated,
  importUndo.getImportUndo,
  importUndo.undoImport,
  jobs.listFailedJobs,
  jobs.retryFailedJobs,
  stats.getStats,
  team.listTeam,
  team.inviteMember,
  team.setMemberRole,
  team.removeMember,
  team.signOutMember,
  people.getPerson,
  people.getCoupon,
  people.addNote,
  people.sendSignInMail,
  people.sendCodeMail,
  people.editPerson,
  people.retryMail,
  audit.listAudit,
  audit.exportAudit,
  exports.exportCodes,
  exports.exportUsers,
  exports.exportRedemptions,
  find.findForStaff,
] as const;
