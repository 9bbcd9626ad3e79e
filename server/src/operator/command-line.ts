// Parses the command line of script/portal, and returns its help. Uses commander and the declarations of the commands.
import { Argument, Command, CommanderError, Option } from 'commander';
import {
  type Call,
  type Declaration,
  describeUsage,
  type Field,
  isOption,
  OperatorError,
  readValues,
  refuseValue,
} from './command.ts';

const UNKNOWN_COMMAND = ['commander.unknownCommand', 'commander.help'];
// The usage of a command without arguments and options. If the usage were empty, commander would show `[options]`.
const TAKES_NOTHING = '[--help]';

/**
 * Returns the command that `argv` names, and the checked values of its arguments and options. Returns the help instead
 * if `argv` is empty or has the option --help.
 * @throws OperatorError if the command or an option is unknown, a value is missing or invalid, or there are too many.
 */
export function parseCommandLine(
  commands: readonly Declaration[],
  argv: readonly string[],
): { command: Declaration; call: Call; values: Record<string, unknown> } | { help: string } {
  let help = '';
  const tool = new Command('script/portal')
    .usage('<command>')
    .helpCommand(false)
    .helpOption('-h, --help', 'show the help of the tool, or of a command')
    .configureOutput({ writeOut: (shown) => (help += shown), writeErr: () => undefined })
    .configureHelp({
      subcommandTerm: (parser) => `${parser.name()} ${parser.usage()}`.replace(` ${TAKES_NOTHING}`, ''),
      // For example, the help of `jobs` lists only `jobs list`, `jobs retry` and `jobs cancel`.
      visibleCommands: ({ commands: all }) => {
        const inGroup = all.filter((parser) => parser.name().startsWith(`${argv[0]} `));
        return inGroup.length > 0 ? inGroup : [...all];
      },
    })
    .allowExcessArguments()
    .exitOverride();
  for (const command of commands) tool.addCommand(createParser(command).copyInheritedSettings(tool));
  if (argv.length === 0) return { help: tool.helpInformation().trimEnd() };
  // For commander, `admin add` is one command with a space in its name, not a subcommand of `admin`. So the help of
  // script/portal lists all commands.
  const countWords = ({ name }: Declaration) => name.split(' ').length;
  const command = commands.find((each) => each.name === argv.slice(0, countWords(each)).join(' '));
  const parser = tool.commands.find((each) => each.name() === command?.name);
  try {
    tool.parse(command ? [command.name, ...argv.slice(countWords(command))] : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { help: help.trimEnd() };
    if (UNKNOWN_COMMAND.includes(error.code))
      throw new OperatorError(`Unknown command: ${argv.join(' ')}\n${tool.helpInformation().trimEnd()}`);
    const lacksValue = (field: Field) => error.message === `error: option '${field.form}' argument missing`;
    const field = Object.values(command?.takes ?? {}).find(lacksValue);
    if (command && field) throw refuseValue(command, field, '');
    const name = command ? `script/portal ${command.name}` : 'script/portal';
    const words = error.message.replace('error: ', '').replaceAll('\n', ' ');
    throw new OperatorError(`${name}: ${words}.`);
  }
  if (!(command && parser)) throw new Error(`commander found another command: ${argv.join(' ')}`);
  const call = { command: command.name, args: parser.args, options: parser.opts<Call['options']>() };
  return { command, call, values: readValues(command, call) };
}

function createParser(command: Declaration): Command {
  const parser = new Command(command.name).description(command.summary);
  parser.usage(describeUsage(command) || TAKES_NOTHING);
  for (const field of Object.values(command.takes)) {
    if (isOption(field)) parser.addOption(createOption(command, field));
    // Optional for commander, because `readValues` refuses missing arguments.
    else parser.addArgument(new Argument(field.form, field.help).argOptional());
  }
  return parser;
}

function createOption(command: Declaration, field: Field): Option {
  const option = new Option(field.form, field.help);
  if (!option.required) return option;
  return option.argParser((value: string, earlier: string | string[] | undefined) => {
    if (field.repeats) return [earlier ?? [], value].flat();
    if (earlier !== undefined) throw refuseValue(command, field, `${earlier} ${value}`);
    return value;
  });
}
