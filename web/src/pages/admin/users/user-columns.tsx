// The columns of a list of users: of the Users page, and of the members of a cohort.
import type { ListedUser } from '@portal/contract';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { cut } from '../../../ui/cut.ts';
import { Tag } from '../../../ui/tag.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say, sayServed } from '../../../words/say.ts';
import { Matched } from '../matched.tsx';
import { PersonLink } from '../people/person-link.tsx';
import { sayDayAt } from './say-valid.ts';
import styles from './users-table.module.css';

/** Number of cohorts that a row names. */
const SHOWN_COHORTS = 2;

/**
 * `q` is the searched text, which the columns mark. With `more` 'cohorts', there is a column with the users' cohorts. With
 * 'joined', the day on which a member joined the cohort takes the place of the role.
 */
export function listUserColumns(q: string, more: 'cohorts' | 'joined' | null): Column<ListedUser>[] {
  return [
    {
      label: say('Email'),
      as: 'strong',
      words: ({ email }) => cutWords(email, 40),
      draw: ({ user_id }, { text }) => (
        <PersonLink to={user_id}>
          <Matched text={text} q={q} />
        </PersonLink>
      ),
    },
    // A user without a name is shown with the user id.
    {
      label: say('Name'),
      as: 'line',
      words: ({ name, user_id }) => cutWords(name?.trim() || user_id, 25),
      draw: (_, { text }) => <Matched text={text} q={q} />,
    },
    ...(more === 'cohorts' ? [cohortsColumn()] : []),
    {
      label: say('Phone'),
      as: 'line',
      words: ({ phone_number }) => cutWords(phone_number || say('N/A'), 20),
      awayOnPhones: ({ phone_number }) => !phone_number,
    },
    more === 'joined' ? joinedColumn() : roleColumn(),
  ];
}

function roleColumn(): Column<ListedUser> {
  return {
    label: say('Role'),
    as: 'end',
    words: ({ user_role }) => ({ text: sayRole(user_role) }),
    draw: ({ user_role, team_role }, { text }) =>
      user_role === 'admin' ? (
        <span title={team_role ? sayServed(team_role) : undefined}>
          <Tag tone="accent">{text}</Tag>
        </span>
      ) : (
        text
      ),
  };
}

function joinedColumn(): Column<ListedUser> {
  return {
    label: say('Joined'),
    as: 'line',
    words: ({ joined_at }) => ({ text: joined_at === undefined ? '' : sayDayAt(joined_at) }),
    labelOnPhones: true,
  };
}

/** Two cohorts of a user, and how many more there are. Only wide screens show this column (R-COHORT-24). */
function cohortsColumn(): Column<ListedUser> {
  return {
    label: say('Cohorts'),
    as: 'line',
    wraps: true,
    words: () => ({ text: '' }),
    draw: ({ cohorts = [], cohorts_more = 0 }) => {
      const more = Math.max(cohorts.length - SHOWN_COHORTS, 0) + cohorts_more;
      return (
        <span className={styles.cohorts}>
          {cohorts.slice(0, SHOWN_COHORTS).map(({ cohort_id, name }) => (
            <span key={cohort_id} title={name}>
              <Tag>
                <bdi>{cut(name, 22)}</bdi>
              </Tag>
            </span>
          ))}
          {more > 0 && (
            <span className={styles.more}>{say('and {count} more', { count: sayNumber(more) })}</span>
          )}
        </span>
      );
    },
    awayOnTablets: true,
    awayOnPhones: () => true,
  };
}

export function sayRole(role: string): string {
  if (role === 'admin') return say('admin');
  return role === 'user' ? say('user') : role;
}
