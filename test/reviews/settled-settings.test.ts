import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { MAIN } from '../../src/domain/context/refs.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('no branch moves after a setting or right was removed', startService)

const insert = { changes: [{ operation: 'insert_page', title: 'Late', document: { markdown: 'Late.\n' } }] }

async function space() {
  const { admin, organization } = here
  const id = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Moving' }).expect(201)).body
    .id as string
  const path = `/v1/spaces/${id}`
  const main = () => here.service.app.git.open(id).then((repo) => repo.refs.head(MAIN))
  return { id, path, main }
}

type Space = Awaited<ReturnType<typeof space>>

/** Lets a move of main pass its check and start, and blocks it with a Git lock file while `meanwhile` is requested. */
async function whileMoving<T>({ id }: Space, move: () => Promise<unknown>, meanwhile: () => Promise<T>): Promise<T> {
  const lock = join(here.dir, 'repos', `${id}.git`, 'refs/heads/main.lock')
  await writeFile(lock, '', { flag: 'wx' })
  const moving = move()
  await new Promise((resolve) => setTimeout(resolve, 400))
  const done = meanwhile()
  await new Promise((resolve) => setTimeout(resolve, 400))
  await rm(lock)
  const value = await done
  void moving
  return value
}

const cases: [what: string, take: (one: Space, who: Caller, token: string) => Promise<unknown>][] = [
  ['requiredApprovals', ({ path }) => here.admin.call('patch', path, { requiredApprovals: 1 }).expect(200)],
  ['the lock', ({ path }) => here.admin.call('patch', path, { editMode: 'locked' }).expect(200)],
  ['the default level', ({ path }) => here.admin.call('patch', path, { defaultLevel: 'read' }).expect(200)],
  ['the space', ({ path }) => here.admin.call('delete', path).expect(204)],
  [
    'the role',
    (_, { user }) =>
      here.admin.call('patch', `/v1/orgs/${here.organization}/members/${user}`, { role: 'comment' }).expect(200),
  ],
  [
    'the membership',
    (_, { user }) => here.admin.call('delete', `/v1/orgs/${here.organization}/members/${user}`).expect(204),
  ],
  ['the token', (_, who, token) => who.call('delete', `/v1/user/tokens/${token}`).expect(204)],
]

for (const [what, take] of cases)
  for (const how of ['write', 'merge'] as const)
    test(`a change of ${what} takes effect before the response, during a ${how}`, async () => {
      const one = await space()
      const who = await here.caller('review')
      const { token } = (await who.call('get', '/v1/user/tokens').expect(200)).body.items.map(
        ({ id }: { id: string }) => ({ token: id }),
      )[0]
      let moving: Promise<{ status: number }> | undefined
      const move = async () => {
        moving = Promise.resolve(
          how === 'write'
            ? who.call('post', `${one.path}/content`, insert)
            : who.call('post', `${one.path}/change-requests/1/merge`),
        )
        return moving
      }
      if (how === 'merge') {
        await who.call('post', `${one.path}/change-requests`).expect(201)
        await who.call('post', `${one.path}/change-requests/1/content`, insert).expect(200)
      }
      const seen = await whileMoving(one, move, async () => {
        await take(one, who, token)
        return one.main()
      })
      const { status } = (await moving) as { status: number }
      assert.is(await one.main(), seen, `main moved after the response (the move got ${status})`)
    })

test.run()
