/**
 * The commands that run in their own process. This module loads with the command line, so it imports the work of a
 * command only when that command runs.
 */
import {
  type AnyLocalCommand,
  argument,
  flag,
  localCommand,
  option,
  optionOr,
  repeatedOption,
  requiredOption,
} from '../start/operator/declaration.js'
import { FORMATS, isFormat } from './check-formats.js'

const settings = async () => (await import('../config.js')).loadConfig()

const project = option('<folder>', 'folder of the documentation in a monorepo, relative to <folder>')

const serve = localCommand({
  name: 'serve',
  summary: 'start the server (the default); settings come from the environment (see docs/settings.md)',
  parameters: {},
  example: 'bindery serve',
  run: async ({ json }) => {
    await (await import('./serve.js')).serve({ json })
    return null
  },
})

const doctor = localCommand({
  name: 'doctor',
  summary: 'check the machine, the settings, the folders, the network and connected hosts, and say what to do',
  parameters: {},
  example: 'bindery doctor',
  run: async ({ tell }) => (await import('./doctor/doctor.js')).doctor(await settings(), tell),
})

const preview = localCommand({
  name: 'preview',
  summary: 'serve a folder of documentation as a site on this machine, and reload its pages after each change',
  parameters: {
    folder: argument('folder of the documentation'),
    port: option('<number>', 'port of the site; 0 = any free port (default: 4000, or any free port if it is taken)'),
    project,
  },
  example: 'bindery preview docs',
  run: async ({ json }, { folder, port, project: part }) => {
    const print = json ? (line: string) => console.log(JSON.stringify({ message: line })) : console.log
    await (await import('./preview.js')).preview(folder, { port, project: part }, print)
    return null
  },
})

const check = localCommand({
  name: 'check',
  summary: 'list the problems and broken links of a folder of documentation',
  parameters: {
    folder: argument('folder of the documentation'),
    format: optionOr('<format>', 'text', 'format of the list', FORMATS),
    project,
  },
  example: 'bindery check docs',
  run: async (_, { folder, format, project: part }) => {
    const chosen = isFormat(format) ? format : 'text'
    return (await import('./check.js')).check(folder, { format: chosen, project: part })
  },
})

const verify = localCommand({
  name: 'verify',
  summary: 'verify the signed statement about a page of a site, and compare it with a clone of the repository',
  parameters: {
    file: argument('the provenance of the page, from `…/~/provenance/<page ID>.json` of the site'),
    clone: requiredOption('<folder>', 'clone of the space or of the connected repository'),
    keys: option(
      '<file or address>',
      'public keys of the server (default: the address in the statement, with https, on the host of the page). Keep a copy to notice other keys',
    ),
  },
  example: 'bindery verify install.json --clone docs',
  run: async (_, { file, clone, keys }) => (await import('./verify.js')).verify(file, { clone, keys }),
})

const bundle = localCommand({
  name: 'bundle',
  summary: 'write the repository of a space, with all its branches, into one new file that `git clone` reads',
  parameters: { space: argument('ID of the space'), file: argument('new file') },
  example: 'bindery bundle 8kPq2xYw7LrD4Jt9 docs.bundle',
  copies: ({ space }) => ({ space }),
  run: async (_, { space, file }) => {
    const path = await (await import('./maintenance.js')).bundleSpace(await settings(), space, file)
    return { text: `git clone ${path}`, json: { file: path } }
  },
})

const passphraseFile = option('<file>', 'file with the passphrase of encrypted backups')
const backupTarget = argument(
  'folder, or `s3://<bucket>/<prefix>` (`BINDERY_BACKUP_STORE_ENDPOINT` and the settings next to it)',
)

const backup = localCommand({
  name: 'backup',
  summary: 'back up everything while the server runs: as a plain copy into a new folder, or incrementally',
  parameters: {
    target: backupTarget,
    incremental: flag(
      'store only what has changed since the last backup of this target; the default for S3 and for folders with incremental backups',
    ),
    passphraseFile: {
      ...passphraseFile,
      description: 'file with a passphrase that encrypts the backups of a new target',
    },
    keep: option('<number>', 'number of incremental backups to keep; older ones are removed'),
    verify: flag('restore the backup into a scratch folder, compare it, and check everything there as `fsck` does'),
  },
  example: 'bindery backup /backups/bindery --incremental --keep 30 --verify',
  copies: () => ({}),
  run: async ({ tell }, given) => (await import('./backup/backup.js')).backup(await settings(), given, tell),
})

const backups = localCommand({
  name: 'backups',
  summary: 'list the incremental backups of a target, oldest first',
  parameters: { target: backupTarget, passphraseFile },
  example: 'bindery backups /backups/bindery',
  run: async (_, given) => (await import('./backup/backup.js')).listBackups(await settings(), given),
})

const restore = localCommand({
  name: 'restore',
  summary: 'restore a backup into the empty folders of the settings, or into an empty database',
  parameters: {
    target: backupTarget,
    backup: option('<id>', 'ID of an incremental backup (`bindery backups`); default: the newest'),
    passphraseFile,
  },
  example: 'bindery restore /backups/bindery',
  run: async ({ tell }, { target, backup: id, passphraseFile: file }) => {
    const passphrase = await (await import('./backup/backup.js')).readPassphrase(file)
    const input = { target, backup: id, passphrase, tell }
    return (await import('./backup/restore.js')).restore(await settings(), input)
  },
})

const refresh = localCommand({
  name: 'refresh',
  summary: "update this node's copy of the repository of a space, for plain Git",
  parameters: { space: argument('ID of the space') },
  example: 'bindery refresh 8kPq2xYw7LrD4Jt9',
  run: async (_, { space }) => {
    const path = await (await import('./refresh.js')).refreshSpace(await settings(), space)
    return { text: path, json: { path } }
  },
})

const migrate = localCommand({
  name: 'migrate',
  summary: 'move the installation into a PostgreSQL database, or out of one; all servers must be stopped',
  parameters: {
    to: requiredOption(
      '<url or folder>',
      'URL of an empty database, or a new folder for the data in the database of BINDERY_DATABASE_URL',
    ),
  },
  example: 'bindery migrate --to postgresql://bindery@db.example.org/bindery',
  run: async ({ json }, { to }) => {
    // The process list shows a password in the URL until this line.
    process.title = 'bindery migrate'
    const { dataDirOfTarget, migrate: move } = await import('./migrate/migrate.js')
    const lines: string[] = []
    const config = await settings()
    await move(config, to, (line) => (json ? lines.push(line) : console.log(line)))
    const { noteCommand } = await import('../start/operator/audit.js')
    await noteCommand(dataDirOfTarget(config, to), { operation: 'migrate', members: ['to'] })
    return { text: '', json: { report: lines } }
  },
})

const purgeSecret = localCommand({
  name: 'purge-secret',
  summary:
    'remove files, texts or a person from the history of a space for good; the server must be stopped. Without --yes, the command only lists what would change',
  parameters: {
    space: argument('ID of the space'),
    path: repeatedOption('<path>', 'file or folder, from the root of the repository'),
    text: repeatedOption('<file>', 'file that contains the text to remove, or - for standard input'),
    person: repeatedOption('<email>', 'address of an author or committer'),
    dryRun: flag('only list what would change (the default)'),
    yes: flag('remove it'),
  },
  example: 'bindery purge-secret 8kPq2xYw7LrD4Jt9 --text secret.txt --dry-run',
  run: async (_, { space, ...options }) => {
    const { describePurge, purgeSecret: purge } = await import('./purge-secret.js')
    const config = await settings()
    const report = await purge(config, space, options)
    return { text: describePurge(report, config.dataDir), json: report }
  },
})

const forgetKey = localCommand({
  name: 'forget-key',
  summary: 'let the nodes of a database use another key; the next node that starts sets it',
  parameters: { key: argument('`signing` or `commit`') },
  example: 'bindery forget-key signing',
  run: async (_, { key }) => {
    const text = await (await import('./keys.js')).forgetKey(await settings(), key)
    return { text, json: { key, message: text } }
  },
})

export const localCommands: readonly AnyLocalCommand[] = [
  serve,
  doctor,
  backup,
  backups,
  restore,
  bundle,
  refresh,
  migrate,
  purgeSecret,
  forgetKey,
  preview,
  check,
  verify,
]
