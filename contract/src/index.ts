// Entry point of the contract: all endpoints, schemas and types that browser and server share.

export * from './canonical.ts';
export * from './csv.ts';
export * from './csv-encoding.ts';
export {
  LEFT_OUT,
  type LeftOut,
  REQUIRED,
  SEPARATORS,
  type Separator,
  SKIP_LINES_MAX,
  skipMarks,
} from './csv-head.ts';
export * from './csv-layout.ts';
export * from './csv-records.ts';
export * from './endpoint.ts';
export * from './endpoints.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './language.ts';
export * from './nouns.ts';
export * from './page.ts';
export * from './team-role.ts';
export { type Catalogue, type Forms, fillIn } from './words/catalogue.ts';
