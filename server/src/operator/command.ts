// Types of operator commands, and the check of a call's values. Both script/portal and the running portal check the
// values, because the two may have different versions.
import { knownEmail } from '@portal/contract';
import * as z from 'zod/mini';
import { AppError } from '../app-error.ts';
import type { UploadTools, WorkTools } from '../bulk/run-bulk.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';

/** Thrown if a command cannot be run. The message has the reason for the operator. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}

/** An argument or an option of a command. */
export type Field<Schema extends z.core.$ZodType = z.core.$ZodType> = {
  /** As the operator types it: `<e-mail>`, `[file.csv]` if it may be missing, `--force`, `--role <role>`. */
  form: string;
  help: string;
  /**
   * Checks the value. A missing value is undefined. An option without a value, such as `--force`, has the value true.
   */
  schema: Schema;
  /** The beginning of the error message for an invalid value. It describes the valid values. */
  wanted: string;
  /** True for an option that may be typed several times. The value of the option is a list. */
  repeats?: boolean;
  /** True for an argument that names a CSV file. script/portal reads the file and sends its text with the call. */
  isFile?: boolean;
};
type Fields = Record<string, Field>;

type Declared<Takes extends Fields> = {
  /** One word, or two such as `admin add`. */
  name: string;
  summary: string;
  /**
   * Arguments and options, checked in this order. The key of an option is its name in camel case: `--dry-run` is
   * `dryRun`.
   */
  takes: Takes;
  /**
   * The argument whose value the operator must type again on standard input, for an action that cannot be undone. The
   * option `yes` of the command skips this.
   */
  typedAgain?: keyof Takes & string;
};

/** A command without its function `run`. script/portal needs the declarations to parse its command line. */
export type Declaration = Declared<Fields>;

/** A call of a command: its name, its arguments in order, and its options by their names. */
export type Call = { command: string; args: string[]; options: Record<string, string | string[] | true> };

/**
 * A call that script/portal sends to the running portal. `folder` is the folder in which the operator called
 * script/portal. File names in the call are relative to `folder`. `file` is the CSV file that the arguments name, read
 * and decoded by script/portal.
 */
export type OperatorRequest = Call & {
  folder: string;
  file?: { name: string; text: string; encoding?: string | undefined } | undefined;
};

/** A command. `run` returns the output. `values` are the checked values of the arguments and options by their names. */
export type Command<Tools, Values = Record<string, unknown>> = Declaration & {
  run(tools: Tools, values: Values, request: OperatorRequest): Promise<string>;
};

type Values<Takes extends Fields> = { [Name in keyof Takes]: z.output<Takes[Name]['schema']> };
type Declare<Tools> = <Takes extends Fields>(
  command: Declared<Takes> & Command<Tools, Values<Takes>>,
) => Command<Tools>;

/**
 * Declares a command that needs the database. If the portal runs on the embedded database, the portal executes the
 * command. Otherwise script/portal opens the database and executes the command.
 */
export const portalCommand: Declare<OperatorTools> = (command) => command;

/** Declares a command that script/portal always executes in its own process. */
export const localCommand: Declare<LocalTools> = (command) => command;
export type LocalTools = { readConfig: () => Config };

export type OperatorTools = {
  db: Database;
  /** Imports a file, or checks it in a dry run. */
  uploadTools: UploadTools & WorkTools;
  /**
   * Creates a new signing key and returns its id. With `revoke`, the portal refuses tokens signed with an older key.
   * Null if the sign-in service is hosted.
   */
  rotateKeys: ((options: { revoke: boolean }) => Promise<string>) | null;
  /** The addresses in ADMIN_EMAILS. */
  adminEmails: readonly string[];
  /** IANA name of the portal's time zone. */
  timeZone: string;
  /** The setting PUBLIC_URL, without a slash at the end. */
  publicUrl: string;
};

/**
 * A text that is not empty. A text that begins with a hyphen is refused, because the text may be a misplaced option.
 */
export const text = z.string().check(z.regex(/^[^-]/));

/** The address of a person. */
export const EMAIL = {
  form: '<e-mail>',
  help: 'the e-mail address',
  schema: knownEmail,
  wanted: 'Name one e-mail address, such as name@example.org',
};

/** Declares an option that takes no value. `run` gets true if the operator typed the option, else false. */
export function flag(form: string, help: string): Field<z.ZodMiniType<boolean>> {
  return { form, help, schema: z._default(z.boolean(), false), wanted: `${form} takes no value` };
}

/** Returns the arguments and options as the operator types them, such as `<e-mail> [--role <role>]`. */
export function describeUsage({ takes }: Declaration): string {
  const fields = Object.values(takes);
  const args = fields.filter((field) => !isOption(field)).map(({ form }) => form);
  const options = fields.filter(isOption).map(({ form, schema, repeats }) => {
    const mayMiss = z.safeParse(schema, undefined).success;
    return `${mayMiss ? `[${form}]` : form}${repeats ? ' …' : ''}`;
  });
  return [...args, ...options].join(' ');
}

export const isOption = ({ form }: Field): boolean => form.startsWith('--');

/** Returns the error for an invalid value. `got` is the text that the operator typed. */
export function refuseValue(command: Declaration, { wanted }: Field, got: string): OperatorError {
  const usage = `script/portal ${command.name} ${describeUsage(command)}`;
  return new OperatorError(`${wanted} (got: ${got}): ${usage}`);
}

/**
 * Returns the checked values of a call by the names of the arguments and options.
 * @throws OperatorError if an option is unknown, a value is missing or invalid, or there are too many values.
 */
export function readValues(command: Declaration, { args, options }: Call): Record<string, unknown> {
  const fields = Object.entries(command.takes);
  const unknown = Object.keys(options).find(
    (name) => !fields.some((field) => field[0] === name && isOption(field[1])),
  );
  if (unknown !== undefined)
    throw new OperatorError(`script/portal ${command.name}: unknown option '${unknown}'.`);
  const surplus = [...args];
  const values = fields.map(([name, field]) => {
    const given = isOption(field) ? options[name] : surplus.shift();
    const parsed = z.safeParse(field.schema, given);
    if (!parsed.success) throw refuseValue(command, field, [given ?? 'nothing'].flat().join(' '));
    return [name, parsed.data];
  });
  if (surplus.length > 0) throw refuseArguments(command, args);
  return Object.fromEntries(values);
}

function refuseArguments(command: Declaration, args: readonly string[]): OperatorError {
  const fields = Object.values(command.takes);
  const argument = fields.find((field) => !isOption(field));
  if (argument) return refuseValue(command, argument, args.join(' '));
  const forms = fields.map(({ form }) => form).join(', ');
  const takes = forms === '' ? 'nothing' : `${forms} and nothing more`;
  return new OperatorError(`${command.name} takes ${takes} (got: ${args.join(' ')}).`);
}

/** Throws an OperatorError with the same message if `error` is an AppError. Throws any other error unchanged. */
export function rethrowForOperator(error: unknown): never {
  throw error instanceof AppError ? new OperatorError(error.message) : error;
}
