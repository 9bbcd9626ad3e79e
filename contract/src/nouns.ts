// The calls of each noun, with their schemas. A new noun needs a line here.
export * from './codes.ts';
export * from './cohorts.ts';
export * from './dashboard.ts';
export * from './files.ts';
export * from './grants.ts';
export * from './log.ts';
export * from './people.ts';
export * from './privacy.ts';
export * from './products.ts';
export * from './session.ts';
export * from './support.ts';
export * from './team.ts';
export * from './why.ts';
