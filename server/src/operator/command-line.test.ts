// Tests how the command line of script/portal is parsed. The tables cover all commands.
import { describe, expect, test } from 'vitest';
import { type Declaration, isOption } from './command.ts';
import { parseCommandLine } from './command-line.ts';
import { portalCommands } from './commands.ts';
import { localCommands } from './local-commands.ts';

const commands: readonly Declaration[] = [...portalCommands, ...localCommands];

const EMAIL = /^Name one e-mail address, such as name@example\.org \(got: /;
const JOB = /^Name one job by its number, as jobs list shows it \(got: /;
const CSV = /^Name one CSV file \(got: /;
const FILE = /^Name one file, such as portal\.backup \(got: /;
const ONE_PRODUCT = /^This needs one product named by --product <id> \(got: /;
const NO_MORE = / takes .+ \(got: surplus\)\.$/;

/**
 * For each command: a valid call; the refusal of the same call with one more argument; the refusal of a call without
 * arguments and options, or null if it is valid.
 */
const CALLS: Record<string, { valid: string[]; surplus: RegExp; missing: RegExp | null }> = {
  'admin add': { valid: ['ada@example.org', '--role', 'viewer'], surplus: EMAIL, missing: EMAIL },
  'admin remove': { valid: ['ada@example.org', '--force'], surplus: EMAIL, missing: EMAIL },
  'admin list': { valid: [], surplus: NO_MORE, missing: null },
  'people export': { valid: ['ada@example.org'], surplus: EMAIL, missing: EMAIL },
  'people erase': {
    valid: ['ada@example.org', '--reason', 'asked', '--yes'],
    surplus: EMAIL,
    missing: EMAIL,
  },
  'people erasures': { valid: [], surplus: NO_MORE, missing: null },
  'import products': { valid: ['a.csv', '--dry-run'], surplus: CSV, missing: CSV },
  'import users': {
    valid: ['a.csv', '--product', 'a', '--product', 'b', '--dry-run'],
    surplus: CSV,
    missing: /^This needs at least one product named by --product <id> \(got: nothing\)/,
  },
  'import coupons': { valid: ['a.csv', '--product', 'a', '--dry-run'], surplus: CSV, missing: ONE_PRODUCT },
  'codes void': { valid: ['a.csv', '--product', 'a'], surplus: CSV, missing: ONE_PRODUCT },
  'sessions revoke': { valid: ['ada@example.org', '--unlink'], surplus: EMAIL, missing: EMAIL },
  'keys rotate': { valid: ['--revoke'], surplus: NO_MORE, missing: null },
  'jobs list': { valid: ['--failed'], surplus: NO_MORE, missing: null },
  'jobs retry': { valid: ['17'], surplus: JOB, missing: JOB },
  'jobs cancel': { valid: ['17'], surplus: JOB, missing: JOB },
  'audit prune': {
    valid: ['--before', '2020-01-01', '--to', 'a.gz'],
    surplus: NO_MORE,
    missing: /^--before needs a day, such as 2024-01-01 \(got: nothing\)/,
  },
  'figures recount': { valid: [], surplus: NO_MORE, missing: null },
  backup: { valid: ['a', '--encrypt', '--to', 'age1x'], surplus: FILE, missing: FILE },
  'backup-key': { valid: ['a.key'], surplus: FILE, missing: FILE },
  restore: {
    valid: ['a', '--key', 'a.key', '--without-keys', '--erasures', 'a.csv'],
    surplus: FILE,
    missing: FILE,
  },
  doctor: { valid: [], surplus: NO_MORE, missing: null },
};
const CASES = Object.entries(CALLS).map(([name, call]) => ({ name, words: name.split(' '), ...call }));
const OPTIONS = commands.flatMap(({ name, takes }) =>
  Object.values(takes)
    .filter(isOption)
    .map((field) => {
      const [flag = '', value] = field.form.split(' ');
      return { ...field, name, flag, isFlag: value === undefined };
    }),
);

const parse = (...argv: string[]) => parseCommandLine(commands, argv);
const refused = (argv: string[]): string => {
  try {
    parse(...argv);
  } catch (error) {
    expect(error).toMatchObject({ name: 'OperatorError' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error(`${argv.join(' ')} is not refused`);
};
const help = (...argv: string[]): string => {
  const parsed = parse(...argv);
  return 'help' in parsed ? parsed.help : '';
};

test('the table has all commands', () => {
  expect(commands.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS).sort());
});

describe.each(CASES)('$name', ({ name, words, valid, surplus, missing }) => {
  test('a valid call is parsed', () => {
    expect(parse(...words, ...valid)).toMatchObject({ command: { name }, call: { command: name } });
  });

  test.each(['--frobnicate', '-x', '--frobnicate=1', '--__proto__'])(
    'the unknown option %s is refused',
    (option) => {
      for (const argv of [
        [...words, ...valid, option],
        [...words, option, ...valid],
      ])
        expect(refused(argv)).toBe(`script/portal ${name}: unknown option '${option}'.`);
      expect(refused([option, ...words, ...valid])).toBe(`script/portal: unknown option '${option}'.`);
    },
  );

  test('an argument too many is refused', () => {
    const message = refused([...words, ...valid, 'surplus']);
    expect(message).toMatch(surplus);
    expect(message).toContain(name);
    expect(message).not.toContain('\n');
  });

  test('what is missing is named', () => {
    if (missing === null) expect(parse(...words)).toMatchObject({ command: { name } });
    else {
      expect(refused(words)).toMatch(missing);
      expect(refused(words)).toContain(`script/portal ${name} `);
    }
  });

  test('the help shows the arguments and options', () => {
    const command = commands.find((each) => each.name === name);
    const shown = help(...words, '--help');
    expect(shown).toContain(`Usage: script/portal ${name} `);
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(command?.summary);
    for (const field of Object.values(command?.takes ?? {}))
      expect(shown.replaceAll(/\s+/g, ' ')).toContain(
        `${field.form.replace(/^[<[](.*)[>\]]$/, '$1')} ${field.help}`,
      );
    expect(help(...words, ...valid, '--help')).toBe(shown);
    expect(help('--help')).toContain(`\n  ${name} `);
  });
});

/** Returns the words of a valid call, without the option `flag` and its value. */
function callWithout(flag: string, { name, isFlag }: (typeof OPTIONS)[number]): string[] {
  const valid = CALLS[name]?.valid ?? [];
  const at = valid.lastIndexOf(flag);
  const others = at === -1 ? valid : [...valid.slice(0, at), ...valid.slice(isFlag ? at + 1 : at + 2)];
  return [...name.split(' '), ...others];
}

describe.each(OPTIONS.filter(({ isFlag }) => !isFlag))('$name $form', (option) => {
  const { flag, wanted, repeats } = option;
  const words = callWithout(flag, option);

  test('a missing value is refused', () => {
    expect(refused([...words, flag])).toContain(`${wanted} (got: ): script/portal ${option.name} `);
  });

  test('an option in the place of the value is refused', () => {
    expect(refused([...words, flag, '--help-me'])).toMatch(/ \(got: (a )?--help-me\): /);
  });

  test('a second value is refused unless the option may be repeated', () => {
    const both = [...words, `${flag}=one`, `${flag}=two`];
    if (repeats) expect(parse(...both)).toMatchObject({ command: { name: option.name } });
    else expect(refused(both)).toContain(`${wanted} (got: one two): script/portal ${option.name} `);
  });
});

test.each(OPTIONS.filter(({ isFlag }) => isFlag))('$name $form: a value is refused', (option) => {
  const given = `${option.flag}=yes`;
  expect(refused([...callWithout(option.flag, option), given])).toBe(
    `script/portal ${option.name}: unknown option '${given}'.`,
  );
});

test.each(['', 'fly', 'constructor', '__proto__', 'help', 'admin', 'admin fly', 'fly admin list'])(
  "'%s' is an unknown command",
  (words) => {
    expect(refused(words.split(' ')).split('\n').slice(0, 2)).toEqual([
      `Unknown command: ${words}`,
      'Usage: script/portal <command>',
    ]);
  },
);

test('options go to the portal by their names, with the values as typed', () => {
  expect(parse('import', 'users', '--product=A', 'a.csv', '--product', 'b', '--dry-run')).toMatchObject({
    call: { command: 'import users', args: ['a.csv'], options: { product: ['A', 'b'], dryRun: true } },
  });
  expect(parse('admin', 'add', 'Ada@Example.org')).toMatchObject({
    call: { command: 'admin add', args: ['Ada@Example.org'], options: {} },
    values: { email: 'ada@example.org', role: 'owner' },
  });
});

test('the help of the tool lists a command that takes nothing by its name only', () => {
  expect(help('--help')).toMatch(/^ {2}admin list {2,}show the team/m);
  expect(help('admin', 'list', '--help')).toMatch(/^Usage: script\/portal admin list \[--help\]$/m);
});

test('the help of a group lists its commands only', () => {
  const listed = (shown: string) => shown.match(/^ {2}\w+ \w+/gm);
  const jobs = ['  jobs list', '  jobs retry', '  jobs cancel'];
  expect(listed(help('jobs', '--help'))).toEqual(jobs);
  expect(listed(refused(['jobs']))).toEqual(jobs);
});
