import { join } from 'node:path'
import type { Files } from '../support/bare-repository.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import type { Caller, TestService } from '../support/service.js'

export interface PageJson {
  id: string
  title: string
  type: string
  slug: string
  path: string
  pages: PageJson[]
  createdAt?: string
  updatedAt?: string
  markdown?: string
  git?: { path: string; oid: string }
}

/** The details of a person's commit. The time is in seconds since 1970; absent = now. */
export interface HumanCommit {
  message?: string
  ref?: string
  parents?: string[]
  author?: string
  seconds?: number
}

/** A space of a service under test, as seen through HTTP and through plain Git. */
export interface Desk {
  here: TestService
  admin: Caller
  space: string
  /** `/v1/spaces/<space>` */
  url: string
  repo: string
  git(...args: string[]): Promise<string>
  /** Makes a person's commit with plain Git. */
  human(files: Files, options?: HumanCommit): Promise<string>
  /** Changes the main content. Returns the body. */
  write(changes: object[], status?: number, headers?: Record<string, string>): Promise<any>
  /** Returns the text of a file on a branch, or null if there is none. */
  file(path: string, ref?: string): Promise<string | null>
  bytes(path: string, ref?: string): Promise<Buffer>
  paths(ref?: string): Promise<string[]>
  /** Returns the lines of `git diff --name-status` for the last commit. */
  changed(ref?: string): Promise<string[]>
  pages(at?: string): Promise<PageJson[]>
  /** Returns all pages by path. */
  byPath(at?: string): Promise<Map<string, PageJson>>
  id(path: string, at?: string): Promise<string>
  changeRequest(subject?: string): Promise<ChangeRequestDesk>
}

export interface ChangeRequestDesk {
  id: string
  number: number
  ref: string
  url: string
  write(changes: object[], status?: number, headers?: Record<string, string>): Promise<any>
  merge(status?: number): Promise<any>
  update(status?: number, body?: object): Promise<any>
}

export const flat = (pages: readonly PageJson[]): PageJson[] => pages.flatMap((page) => [page, ...flat(page.pages)])

/**
 * Creates a space whose main holds exactly `files` (a person's commit on top of the first one). None = the initial
 * content.
 */
export async function openDesk(here: TestService, files?: Files): Promise<Desk> {
  const { admin } = here
  const made = await admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Desk' }).expect(201)
  return deskOf(here, made.body.id, files)
}

/** Reads and commits of a plain Git user. */
export interface Hands {
  /** Returns the folder of a repository, with everything that was written so far. */
  repo(): Promise<string>
  human: Desk['human']
}

/** Reads the bytes of a file in one process. Null if the file does not exist. */
async function blobOf(repo: string, name: string): Promise<Buffer | null> {
  const said = await gitBytes(repo, ['cat-file', '--batch'], `${name}\n`)
  const head = said.indexOf('\n')
  const [, type, size] = said.toString('latin1', 0, head).split(' ')
  if (size === undefined || said.toString('utf8', 0, head).endsWith(' missing')) return null
  if (type !== 'blob') throw new Error(`${name} is a ${type}`)
  return said.subarray(head + 1, head + 1 + Number(size))
}

export async function deskOf(here: TestService, space: string, files?: Files, hands?: Hands): Promise<Desk> {
  const { admin } = here
  const repo = join(here.dir, 'repos', `${space}.git`)
  const { repo: where, human } = hands ?? {
    repo: async () => repo,
    human: (changes, options) => commitTo(repo, changes, options),
  }
  const url = `/v1/spaces/${space}`
  const plain = async (...args: string[]): Promise<string> => git(await where(), args)
  const desk: Desk = {
    here,
    admin,
    space,
    url,
    repo,
    git: plain,
    human,
    write: async (changes, status = 200, headers = {}) =>
      (await admin.call('post', `${url}/content`, { changes }).set(headers).expect(expectStatus(status))).body,
    file: async (path, ref = 'main') => (await blobOf(await where(), `${ref}:${path}`))?.toString('utf8') ?? null,
    bytes: async (path, ref = 'main') => gitBytes(await where(), ['cat-file', 'blob', `${ref}:${path}`]),
    paths: async (ref = 'main') =>
      (await plain('ls-tree', '-r', '-z', '--name-only', ref)).split('\0').filter((path) => path !== ''),
    changed: async (ref = 'main') =>
      (await plain('diff', '--name-status', '--no-renames', `${ref}^`, ref)).split('\n').filter((line) => line !== ''),
    pages: async (at = '') =>
      (await admin.call('get', `${url}${at}/content/pages`).expect(expectStatus(200))).body.pages,
    byPath: async (at) => new Map(flat(await desk.pages(at)).map((page) => [page.path, page])),
    id: async (path, at) => {
      const page = (await desk.byPath(at)).get(path)
      if (!page) throw new Error(`no page ${path} among ${[...(await desk.byPath(at)).keys()].join(', ')}`)
      return page.id
    },
    changeRequest: async (subject = 'Change') => {
      const { body } = await admin.call('post', `${url}/change-requests`, { subject }).expect(201)
      const own = `${url}/change-requests/${body.id}`
      return {
        id: body.id,
        number: body.number,
        ref: `refs/heads/change-requests/${body.number}`,
        url: own,
        write: async (changes, status = 200, headers = {}) =>
          (
            await admin
              .call('post', `${own}/content?compat=false`, { changes })
              .set(headers)
              .expect(expectStatus(status))
          ).body,
        merge: async (status = 200) => (await admin.call('post', `${own}/merge`).expect(expectStatus(status))).body,
        update: async (status = 200, body) =>
          (await admin.call('post', `${own}/update`, body).expect(expectStatus(status))).body,
      }
    },
  }
  if (files) {
    const gone = Object.fromEntries((await desk.paths()).map((path) => [path, null]))
    await desk.human({ ...gone, ...files }, { message: 'Begin' })
  }
  return desk
}

/** Throws with the body of the response if the status is a different one. */
export const expectStatus =
  (wanted: number) =>
  (response: { status: number; text: string }): void => {
    if (response.status !== wanted) throw new Error(`${response.status} instead of ${wanted}: ${response.text}`)
  }

const data = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])
const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

/**
 * Makes a person's commit with plain Git on top of a branch. Deletions come first, so that a file can become a
 * folder.
 */
export async function commitTo(
  repo: string,
  files: Files,
  {
    message = 'By hand',
    ref = 'refs/heads/main',
    parents = [],
    author = 'Ada Author',
    seconds = Math.floor(Date.now() / 1000),
  }: HumanCommit = {},
): Promise<string> {
  const signature = `${author} <ada@example.com> ${seconds} +0000`
  const entries = Object.entries(files)
  const gone = entries.filter(([, value]) => value === null).map(([path]) => Buffer.from(`D ${quoted(path)}\n`))
  const put = entries.flatMap(([path, value]) => {
    if (value === null) return []
    if (typeof value === 'object' && 'submodule' in value)
      return [Buffer.from(`M 160000 ${value.submodule} ${quoted(path)}\n`)]
    const link = typeof value === 'object' && 'link' in value
    const bytes = Buffer.isBuffer(value)
      ? value
      : Buffer.from(typeof value === 'string' ? value : (value as { link: string }).link)
    return [Buffer.from(`M ${link ? '120000' : '100644'} inline ${quoted(path)}\n`), data(bytes)]
  })
  const start = Buffer.from(`commit ${ref}\nmark :1\nauthor ${signature}\ncommitter ${signature}\n`)
  const from = Buffer.from(`from ${ref}^0\n${parents.map((parent) => `merge ${parent}\n`).join('')}`)
  return git(
    repo,
    ['fast-import', '--quiet', '--force'],
    Buffer.concat([start, data(Buffer.from(message)), from, ...gone, ...put, Buffer.from('get-mark :1\n')]),
  )
}
