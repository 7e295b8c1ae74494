import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { checkAll } from '../../src/commands/maintenance.js'
import { loadConfig } from '../../src/config.js'
import { createLog } from '../../src/kernel/log.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
const test = suite<object>('damaged repositories')

const lines: { level: string; space?: string; msg: string }[] = []
const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) } })

/** A service with spaces that each have a page, an edit after `copy` was taken, and a change request. */
async function withSpaces(titles: readonly string[]) {
  const here = await startService({ overrides: { log } })
  const spaces: Record<string, string> = {}
  const earlier = join(here.dir, 'earlier')
  await mkdir(earlier)
  for (const title of titles) {
    const { body: space } = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)
    spaces[title] = space.id
    await cp(join(here.dir, 'repos', `${space.id}.git`), join(earlier, `${space.id}.git`), { recursive: true })
    await edit(title)
    await here.admin.call('post', `/v1/spaces/${space.id}/change-requests`, { subject: 'One' }).expect(201)
  }
  async function edit(title: string, words = 'First words.', status = 200) {
    const change = { operation: 'insert_page', title: `Page ${words}`, document: { markdown: words } }
    return here.admin
      .call('post', `/v1/spaces/${spaces[title]}/content`, { changes: [change], message: 'Edit' })
      .expect(status)
  }
  const repo = (title: string) => join(here.dir, 'repos', `${spaces[title]}.git`)
  return { here, spaces, repo, earlier: (title: string) => join(earlier, `${spaces[title]}.git`), edit }
}

test('a missing, damaged or unsupported repository takes only its own space out of service', async () => {
  const { here, spaces, repo, edit } = await withSpaces(['sound', 'missing', 'ref', 'object', 'reftable'])
  try {
    await here.service.close()
    lines.length = 0
    await rename(repo('missing'), join(here.dir, 'elsewhere.git'))
    await writeFile(join(repo('ref'), 'refs/heads/main'), 'not a commit\n')
    await writeFile(join(repo('object'), 'refs/heads/main'), `${'12'.repeat(20)}\n`)
    await git(repo('reftable'), ['config', 'extensions.refStorage', 'reftable'])
    await here.restart()
    const broken = ['missing', 'ref', 'object', 'reftable']
    for (const title of broken) {
      const { body } = await here.admin.call('get', `/v1/spaces/${spaces[title]}/content`).expect(503)
      assert.match(body.error.message, /out of service.*repository.*restore the repository from a backup/, title)
      assert.not.match(body.error.message, /\/repos\//, 'clients do not see paths')
      const named = lines.filter((line) => line.level === 'error' && line.space === spaces[title])
      assert.is(named.length, 1, title)
      assert.match(named[0]?.msg ?? '', /out of service.*Restore .*\.git.*All other spaces work/)
      const door = await fetch(`${here.url}/git/${spaces[title]}.git/info/refs?service=git-upload-pack`, {
        headers: { Authorization: `Bearer ${here.admin.token}` },
      })
      assert.is(door.status, 503)
    }
    await edit('sound', 'Later words.')
    const { body: listed } = await here.admin.call('get', `/v1/orgs/${here.organization}/spaces`).expect(200)
    assert.equal(listed.items.map(({ title }: { title: string }) => title).sort(), Object.keys(spaces).sort())
    const { body: found } = await here.admin.call('get', `/v1/orgs/${here.organization}/search?query=words`).expect(200)
    assert.ok(found.items.length > 0, 'the sound space is searched')
    await rename(join(here.dir, 'elsewhere.git'), repo('missing'))
    await here.admin.call('get', `/v1/spaces/${spaces.missing}/content`).expect(200)
  } finally {
    await here.close()
  }
})

test('a repository that is older than the documents is served, and the log states the gap', async () => {
  const { here, spaces, repo, earlier, edit } = await withSpaces(['sound', 'older'])
  try {
    await here.service.close()
    lines.length = 0
    const missing = await git(repo('older'), ['rev-parse', 'main'])
    await rm(repo('older'), { recursive: true })
    await cp(earlier('older'), repo('older'), { recursive: true })
    await here.restart()
    const named = lines.filter(({ level, space }) => level === 'error' && space === spaces.older).map(({ msg }) => msg)
    assert.is(named.length, 2)
    assert.match(named[0] ?? '', new RegExp(`older than the documents: main was at ${missing}`))
    assert.match(named[1] ?? '', /change request 1 cannot be read/)
    await here.admin.call('get', `/v1/spaces/${spaces.older}/content`).expect(200)
    const { body } = await here.admin.call('get', `/v1/spaces/${spaces.older}/change-requests/1/content`).expect(503)
    assert.match(body.error.message, /damaged or incomplete/)
    await edit('older', 'Words after the restore.')
    await edit('sound', 'More words.')
  } finally {
    await here.close()
  }
})

test('a branch that was lost from packed-refs is restored, or the log names the command', async () => {
  const { here, spaces, repo } = await withSpaces(['sound', 'branch', 'main'])
  try {
    const { body: requests } = await here.admin
      .call('get', `/v1/spaces/${spaces.branch}/change-requests?status=draft`)
      .expect(200)
    const change = { operation: 'insert_page', title: 'Draft', document: { markdown: 'A draft.' } }
    await here.admin
      .call('post', `/v1/spaces/${spaces.branch}/change-requests/${requests.items[0].id}/content`, {
        changes: [change],
      })
      .expect(200)
    await here.service.idle()
    await here.service.close()
    lines.length = 0
    const heads: Record<string, string> = {}
    for (const [title, name] of Object.entries({ branch: 'change-requests/1', main: 'main' })) {
      heads[title] = await git(repo(title), ['rev-parse', name])
      await git(repo(title), ['pack-refs', '--all'])
      const file = join(repo(title), 'packed-refs')
      const text = await readFile(file, 'utf8')
      await writeFile(file, text.replace(`refs/heads/${name}\n`, `refs/headr/${name}\n`))
    }
    await here.restart()
    assert.is(await git(repo('branch'), ['rev-parse', 'change-requests/1']), heads.branch)
    const { msg = '' } = lines.find(({ level, space }) => level === 'error' && space === spaces.main) ?? {}
    const [, command = ''] = /restore it: (git .*[0-9a-f]{40})/.exec(msg) ?? []
    assert.match(command, heads.main ?? '')
    const [, ...args] = command.split(' ')
    await git(here.dir, args)
    await here.admin.call('get', `/v1/spaces/${spaces.main}/content`).expect(200)
  } finally {
    await here.close()
  }
})

test('fsck reports each damaged repository and checks the others', async () => {
  const { here, spaces, repo } = await withSpaces(['sound', 'missing', 'object', 'pack'])
  try {
    await here.service.close()
    await rm(repo('missing'), { recursive: true })
    await writeFile(join(repo('object'), 'refs/heads/main'), `${'12'.repeat(20)}\n`)
    const packs = join(repo('pack'), 'objects/pack')
    for (const name of (await readdir(packs)).filter((one) => one.endsWith('.pack'))) {
      const bytes = await readFile(join(packs, name))
      await writeFile(join(packs, name), bytes.fill(0, 30, 37))
    }
    const config = loadConfig({
      BINDERY_DATA_DIR: join(here.dir, 'data'),
      BINDERY_REPOS_DIR: join(here.dir, 'repos'),
      BINDERY_PORT: '0',
    })
    const { complaints } = await checkAll(config)
    for (const title of ['missing', 'object', 'pack'])
      assert.ok(
        complaints.some((line) => line.includes(spaces[title] as string)),
        title,
      )
    assert.not.ok(complaints.some((line) => line.includes(spaces.sound as string)))
  } finally {
    await here.restart()
    await here.close()
  }
})

test.run()
