/** `bindery preview`: serves a folder as a site, and reloads the open pages after each change. */
import { createServer } from 'node:net'
import { replaceCustomization } from '../domain/sites/customization.js'
import { createSite } from '../domain/sites/sites.js'
import { publishSite, updateSite } from '../domain/sites/settings.js'
import { publishedSite } from '../domain/sites/addresses.js'
import { ServiceError } from '../kernel/errors.js'
import { Reload } from '../site/reload.js'
import { findProblems } from './find-problems.js'
import { type OpenFolder, openFolder } from './open-folder.js'
import { OperatorError } from './maintenance.js'
import { watchFolder } from './watch-folder.js'

/** The port of previews, if it is free. */
const PORT = 4000
/** The hostname of the site, so that its pages are at the root. */
const HOST = 'localhost'

interface PreviewOptions {
  port?: string | undefined
  project?: string | undefined
}

/** Serves the folder until the process receives a signal. Throws `OperatorError`. */
export async function preview(
  folder: string,
  { port, project }: PreviewOptions,
  print: (line: string) => void,
): Promise<void> {
  const reload = new Reload()
  // Before the start, which takes a second: its temporary folder is removed when the process exits.
  let stop: () => Promise<void> = async () => {}
  let stopping = false
  const end = (): void => {
    // A second signal does not wait. The temporary folder is still removed, by the listener of `exit`.
    if (stopping) process.exit(0)
    stopping = true
    void stop().finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  const opened = await openFolder(folder, { project, reload, sitesPort: await portOf(port) })
  const { changed: _, leftOut } = await opened.update()
  const address = await publish(opened)
  reload.openAt(address)
  for (const one of leftOut) print(one)
  print(`The preview of ${opened.working.folder} is ready at ${address}`)
  let before = ''
  const report = async (): Promise<void> => {
    const { problems } = await findProblems(opened)
    const errors = problems.filter(({ level }) => level === 'error').length
    const line =
      errors === 0
        ? 'No problems found.'
        : `${errors} ${errors === 1 ? 'problem' : 'problems'} found. \`bindery check\` lists them.`
    if (line !== before) print(line)
    before = line
  }
  // The end of the preview interrupts a check.
  const failed = (error: unknown): void => {
    if (!stopping) print(messageOf(error))
  }
  const watcher = watchFolder({
    folder: opened.working.folder,
    ignored: () => opened.working.ignored(),
    update: async () => {
      if (!(await opened.update()).changed) return
      reload.notify()
      await report()
    },
    failed,
  })
  stop = async () => {
    reload.close()
    await watcher.close()
    await opened.close()
  }
  await report().catch(failed)
}

const messageOf = (error: unknown): string =>
  error instanceof ServiceError || error instanceof Error ? error.message : String(error)

/** Creates a public site with the content of the folder. Returns its address. */
async function publish({ service, actor, space }: OpenFolder): Promise<string> {
  const { app, first } = service
  const organization = { doc: first.organization, role: 'admin' as const }
  const input = { title: space.doc.title, spaces: [space.doc.id], visibility: 'public' as const }
  const made = await createSite(app, actor, organization, input)
  const site = await publishSite(app, actor, await updateSite(app, actor, made, { hostname: HOST }))
  // Nothing prints them here.
  await replaceCustomization(app, actor, site, { pdf: { enabled: false } })
  const address = publishedSite({ app, organization: first.organization, site: site.doc })
  return `${address}/`
}

/** Returns the port to listen on. Without an option, any free port is used if the usual one is taken. */
async function portOf(option: string | undefined): Promise<number> {
  if (option !== undefined) {
    const port = Number(option)
    if (!/^\d{1,5}$/.test(option) || port > 65_535)
      throw new OperatorError(`--port ${option} is not a port. Use a number from 0 to 65535; 0 = any free port.`)
    return port
  }
  const probe = createServer()
  return new Promise((done) => {
    probe.once('error', () => done(0))
    probe.listen(PORT, '127.0.0.1', () => probe.close(() => done(PORT)))
  })
}
