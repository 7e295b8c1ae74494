// The environment that Git processes run in.
import { join } from 'node:path'

/** Variables that every process inherits: where programs and temporary files are. */
const INHERITED = ['PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'TZ']

/**
 * The environment of every Git process: no system or user configuration, no prompt, objects as they are (without `refs/replace`).
 * `home` is an empty folder, or none.
 */
export function hermeticEnvironment(home: string): Record<string, string> {
  return {
    ...Object.fromEntries(
      INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
    HOME: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    // No protocol: whatever a repository's configuration names, no process asks a remote unless it was started for that.
    GIT_ALLOW_PROTOCOL: '',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_AUTHOR_NAME: 'Bindery',
    GIT_AUTHOR_EMAIL: 'bindery@localhost',
    GIT_COMMITTER_NAME: 'Bindery',
    GIT_COMMITTER_EMAIL: 'bindery@localhost',
  }
}

/** Makes Git read the objects of a repository too. The path is quoted, because a ":" would separate two paths. */
export const borrowingObjects = (repository: string) => ({
  GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository, 'objects')),
})

const setting = (name: string, value: string): string[] => ['-c', `${name}=${value}`]

/**
 * Options of every `git` that works on a repository: no hooks, no automatic maintenance, all writes are synced. The repository may
 * belong to another user, such as the one who restored it from a backup: the operator named the folder, so its owner is trusted.
 */
export const gitOptions: readonly string[] = [
  '--git-dir=.',
  ...setting('safe.directory', '*'),
  ...setting('core.hooksPath', '/dev/null'),
  ...setting('core.attributesFile', '/dev/null'),
  ...setting('gc.auto', '0'),
  ...setting('maintenance.auto', 'false'),
  ...setting('core.fsync', 'all'),
  ...setting('core.fsyncMethod', 'fsync'),
  ...setting('core.quotePath', 'false'),
]
