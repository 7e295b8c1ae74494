/** Loads the included templates and those from the operator's folder. */
import { errorCode } from '../kernel/thrown.js'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readTemplate } from '../content/templates/read-template.js'
import { type Template, TemplateError } from '../content/templates/template.js'
import type { Log } from '../kernel/log.js'

const SHIPPED = fileURLToPath(new URL('../../templates', import.meta.url))

/** Limits of one template folder. */
const MAX_TEMPLATES = 100
const MAX_FILES = 300
const MAX_FILE_BYTES = 1024 * 1024
const MAX_TEMPLATE_BYTES = 8 * 1024 * 1024
const MAX_DEPTH = 8
const MAX_NAME_BYTES = 200

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/
/** Values for new spaces that are not templates. */
const RESERVED = new Set(['empty', 'sample'])

/** Included templates do not change while a process runs, so its services share them. */
let shippedOnes: Promise<Map<string, Template>> | null = null

/**
 * Returns all templates by ID. A template of the operator replaces an included one with the same ID. Unusable templates
 * are skipped, and the log contains
 * the file and the remedy.
 */
export async function loadTemplates(
  own: string | null,
  log: Pick<Log, 'error'>,
  shipped = SHIPPED,
): Promise<Map<string, Template>> {
  const found = await (shipped === SHIPPED ? loadShipped(log) : loadFolder(shipped, log))
  const all = own === null ? [...found] : [...new Map([...found, ...(await loadFolder(own, log))])]
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns a function that returns the templates. The included ones are read at its first call, because this takes a
 * fifteenth of a start. Those of the operator are read now, so that the log of the start names invalid ones.
 * @param given templates instead of all of these
 */
export async function templatesOf(
  own: string | null,
  log: Pick<Log, 'error'>,
  given?: ReadonlyMap<string, Template>,
): Promise<() => Promise<ReadonlyMap<string, Template>>> {
  if (given) return async () => given
  if (own === null) return () => loadTemplates(null, log)
  const all = await loadTemplates(own, log)
  return async () => all
}

function loadShipped(log: Pick<Log, 'error'>): Promise<Map<string, Template>> {
  const loading = (shippedOnes ??= loadFolder(SHIPPED, log))
  loading.catch(() => {
    shippedOnes = null
  })
  return loading
}

async function loadFolder(folder: string, log: Pick<Log, 'error'>): Promise<Map<string, Template>> {
  const found = new Map<string, Template>()
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  if (names.length > MAX_TEMPLATES)
    log.error({ folder }, `${folder} has ${names.length} entries. Only the first ${MAX_TEMPLATES} are loaded.`)
  for (const id of names.slice(0, MAX_TEMPLATES)) {
    try {
      if (!ID.test(id) || RESERVED.has(id))
        throw new TemplateError(
          `${id} is not a valid template name. Use lowercase letters, digits and "-", but not "empty" or "sample".`,
        )
      found.set(id, await readTemplate(id, await filesBelow(join(folder, id), id)))
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      log.error({ folder }, `A template cannot be used. ${error.message}`)
    }
  }
  return found
}

/**
 * Returns the files of a template by path. Throws `TemplateError` if there are too many, or other entries than files
 * and folders.
 */
async function filesBelow(folder: string, id: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  let bytes = 0
  const fail = (path: string, what: string): never => {
    throw new TemplateError(`${path === '' ? id : `${id}/${path}`}: ${what}`)
  }
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true }).catch((error) =>
      fail(below, notReadable(error)),
    )) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (Buffer.byteLength(entry.name) > MAX_NAME_BYTES)
        fail(path, `has a name of more than ${MAX_NAME_BYTES} bytes. Shorten it.`)
      if (entry.isDirectory()) {
        if (depth >= MAX_DEPTH) fail(path, `is more than ${MAX_DEPTH} folders deep. Move it up.`)
        await walk(path, depth + 1)
      } else if (!entry.isFile())
        fail(path, 'is neither a file nor a folder: symbolic links are not followed. Copy the target instead.')
      else {
        if (files.size >= MAX_FILES) fail(path, `exceeds the limit of ${MAX_FILES} files per template.`)
        const content = await readBounded(join(folder, path)).catch((error) => fail(path, notReadable(error)))
        bytes += content === null ? 0 : content.length
        if (content === null) return fail(path, `exceeds the limit of ${MAX_FILE_BYTES} bytes. Make it smaller.`)
        if (bytes > MAX_TEMPLATE_BYTES)
          fail(path, `exceeds the limit of ${MAX_TEMPLATE_BYTES} bytes per template. Make its files smaller.`)
        files.set(path, content)
      }
    }
  }
  await walk('', 1)
  return files
}

const notReadable = (error: unknown): string => {
  const code = errorCode(error)
  return code === 'ENOTDIR'
    ? 'is not a folder. A template is a folder with template.yaml and content/.'
    : `cannot be read (${code}). Check its permissions.`
}

/** Returns a file's bytes; null if there are too many. If the path has become a symbolic link, it is not followed. */
async function readBounded(path: string): Promise<Uint8Array | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    return size > MAX_FILE_BYTES ? null : await file.readFile()
  } finally {
    await file.close()
  }
}
