/**
 * The commands that run in their own process. This module loads with the command line, so it imports the work of a
 * command only when that command runs.
 */
import {
  type AnyLocalCommand,
  argument,
  localCommand,
  option,
  optionOr,
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

const bundle = localCommand({
  name: 'bundle',
  summary: 'write the repository of a space, with all its branches, into one new file that `git clone` reads',
  parameters: { space: argument('ID of the space'), file: argument('new file') },
  example: 'bindery bundle 8kPq2xYw7LrD4Jt9 docs.bundle',
  run: async (_, { space, file }) => {
    const path = await (await import('./maintenance.js')).bundleSpace(await settings(), space, file)
    return { text: `git clone ${path}`, json: { file: path } }
  },
})

const backup = localCommand({
  name: 'backup',
  summary: 'copy the data and the repositories into a new folder, from which a server can start',
  parameters: { target: argument('new folder') },
  example: 'bindery backup /backups/bindery',
  run: async (_, { target }) => {
    const { files, repositories } = await (await import('./backup.js')).backUp(await settings(), target)
    return { text: `${target} has ${repositories} repositories and ${files} files.`, json: { files, repositories } }
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
    const { migrate: move } = await import('./migrate/migrate.js')
    const lines: string[] = []
    await move(await settings(), to, (line) => (json ? lines.push(line) : console.log(line)))
    return { text: '', json: { report: lines } }
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
  bundle,
  refresh,
  migrate,
  forgetKey,
  preview,
  check,
]
