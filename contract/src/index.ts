// Entry point of the contract: all endpoints, schemas and types that browser and server share.

export * from './brand.ts';
export * from './canonical.ts';
export * from './code-hint.ts';
export * from './csv.ts';
export * from './csv-days.ts';
export * from './csv-ignored.ts';
export * from './csv-layout.ts';
export * from './csv-lines.ts';
export * from './csv-names.ts';
export * from './endpoint.ts';
export * from './endpoints.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './import-preview.ts';
export * from './import-upload.ts';
export * from './language.ts';
export * from './nouns.ts';
export type * from './page.ts';
export * from './ready-mails.ts';
export * from './team-role.ts';
export { type Catalogue, type Forms, fillIn } from './words/catalogue.ts';
