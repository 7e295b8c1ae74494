import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { specText } from '../../openapi/servers.js'
import { folderBytes } from '../../support/folder-bytes.js'
import { git } from '../../support/hermetic-git.js'
import { startService, type TestService } from '../../support/service.js'

/** A stopped installation in folders. */
export interface Stopped {
  dir: string
  data: string
  repos: string
  organization: string
  spaces: string[]
  /** A Git LFS object. */
  oid: string
}

/**
 * Creates an installation with data of every kind: pages, change requests, comments, refs of an admin, a
 * specification, a Git LFS object.
 */
export async function makeInstallation(): Promise<Stopped> {
  const dir = await mkdtemp(join(tmpdir(), 'migrate-'))
  const here = await startService({ dir, env: { BINDERY_DATABASE_URL: '' } })
  const spaces: string[] = []
  for (const title of ['Handbook', 'Empty', 'Guide 😀']) spaces.push(await makeSpace(here, title))
  const spec = { slug: 'pets', source: { text: specText() } }
  await here.admin.call('post', `/v1/orgs/${here.organization}/openapi`, spec).expect(201)
  const bytes = randomBytes(2_500_000)
  const oid = createHash('sha256').update(bytes).digest('hex')
  const draft = await here.service.app.lfsFiles.draft({ oid, size: bytes.length })
  await draft.write(bytes)
  await draft.commit()
  await here.service.idle()
  await here.service.close()
  const repos = join(dir, 'repos')
  await asAdmin(join(repos, `${spaces[0]}.git`))
  return { dir, data: join(dir, 'data'), repos, organization: here.organization, spaces, oid }
}

async function makeSpace(here: TestService, title: string): Promise<string> {
  const post = async (path: string, body: object, status = 200) =>
    (await here.admin.call('post', path, body).expect(status)).body
  const { id } = await post(`/v1/orgs/${here.organization}/spaces`, { title }, 201)
  if (title === 'Empty') return id
  const { number } = await post(`/v1/spaces/${id}/change-requests`, { subject: 'More' }, 201)
  const base64 = randomBytes(1_500_000).toString('base64')
  const changes = [
    { operation: 'insert_files', files: [{ name: 'noise.bin', ref: 'noise', base64 }] },
    { operation: 'insert_page', title: 'Upgrade', document: { markdown: '# Upgrade\n\nDo it.\n' } },
  ]
  await post(`/v1/spaces/${id}/change-requests/${number}/content`, { changes })
  await post(`/v1/spaces/${id}/change-requests/${number}/merge`, {})
  await post(`/v1/spaces/${id}/change-requests`, { subject: 'Open' }, 201)
  for (const text of ['one', 'two 😀', 'three']) await post(`/v1/spaces/${id}/comments`, { body: { markdown: text } })
  return id
}

/** Changes by an admin with plain Git: packs, a tag with a message, a ref outside the usual folders. */
async function asAdmin(repository: string): Promise<void> {
  await git(repository, ['gc', '--quiet'])
  await git(repository, [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.org',
    'tag',
    '-a',
    '-m',
    'The first',
    'v1',
    'main',
  ])
  await git(repository, ['update-ref', 'refs/mine/kept', 'main~1'])
}

/** Returns all refs of all repositories, as plain Git lists them, and the output of `git fsck`. */
export async function refsAndChecks({ repos, spaces }: Pick<Stopped, 'repos' | 'spaces'>): Promise<string[]> {
  const found: string[] = []
  for (const space of spaces) {
    const path = join(repos, `${space}.git`)
    found.push(
      space,
      await git(path, ['for-each-ref']),
      await git(path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']),
    )
  }
  return found
}

/**
 * Returns every file of an installation with its hash. Leaves out the locks, and the indexes that its server, which
 * ran in this process, may still be closing.
 */
export const allBytes = (dir: string): Promise<Map<string, string>> =>
  folderBytes(dir, /(^|\/)(lock|\.bindery-lock|(?:facts|dates|structures)\.db.*)$/)

/** Returns the files of specifications and of Git LFS, with their hashes. */
export const keptFiles = async (data: string): Promise<[string, string][]> =>
  [...(await folderBytes(data))].filter(([path]) => /^(openapi|lfs)\//.test(path))
