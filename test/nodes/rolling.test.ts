import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import type { Answer, Question } from './asker.js'
import { newJudge, startCluster } from './cluster.js'
import type { Node } from './node.js'

/**
 * A balancer in front of the nodes. It tries the next node if a connection fails, and does nothing else. When a node
 * stops listening, the system resets the connections that it has not accepted. Nothing was sent on those.
 */
const NO_CONNECTION = /connect ECONN(REFUSED|RESET)/
const CLIENTS = size(2, 4)
/** The pause of a client after each write. */
const PAUSE_MS = size(60, 0)
const judge = newJudge()
const [test, cluster] = await suiteWith('nodes: rolling restart', () =>
  startCluster({ judge, nodes: size(2, 3), env: { BINDERY_RATE_LIMIT_PER_MINUTE: '0' } }),
)
let turn = 0

async function balanced(asker: ReturnType<typeof cluster.asker>, question: Question): Promise<Answer> {
  for (;;) {
    const url = (cluster.nodes[turn++ % cluster.nodes.length] as Node).direct
    if (url === null) continue
    const answer = await asker.ask({ name: url, url }, question)
    if (answer.status !== 0 || !NO_CONNECTION.test(answer.why)) return answer
  }
}

test('no request fails while every node is restarted one after the other', async () => {
  const admin = cluster.asker('the admin')
  const space = (
    await balanced(admin, {
      method: 'POST',
      path: `/v1/orgs/${cluster.organization}/spaces`,
      body: { title: 'Docs', editMode: 'live' },
      expect: [201],
    })
  ).body.id
  const failed: string[] = []
  let over = false
  let asked = 0
  const written: string[] = []
  const work = async (who: number): Promise<void> => {
    const asker = cluster.asker(`client ${who}`)
    while (!over) {
      const slug = `page-${who}-${asked++}`
      const changes = [{ operation: 'insert_page', title: slug, slug, document: { markdown: `# ${slug}\n` } }]
      const answer = await balanced(asker, {
        method: 'POST',
        path: `/v1/spaces/${space}/content`,
        body: { changes },
        expect: [200],
      })
      if (answer.status === 200) written.push(slug)
      else failed.push(`POST: ${answer.status} ${answer.why}`)
      const read = await balanced(asker, {
        method: 'GET',
        path: `/v1/spaces/${space}/content/path/${slug}`,
        expect: [200],
      })
      if (read.status !== 200) failed.push(`GET: ${read.status} ${read.why}`)
      // The clients would otherwise use all of the machine.
      await wait(PAUSE_MS)
    }
    asker.close()
  }
  const working = Promise.all(Array.from({ length: CLIENTS }, (_, who) => work(who)))
  for (const node of cluster.nodes) {
    const before = written.length
    assert.is(await node.end(), 0, `${node.name}: ${node.output().slice(-1000)}`)
    while (written.length < before + 5) await wait(20)
    node.start()
    await node.ready()
  }
  over = true
  await working
  assert.equal(failed, [])
  const { body } = await balanced(admin, { method: 'GET', path: `/v1/spaces/${space}/content/pages`, expect: [200] })
  const titles = body.pages
    .map(({ title }: { title: string }) => title)
    .filter((title: string) => title.startsWith('page-'))
  assert.equal(titles.sort(), written.sort())
  assert.equal(judge.faults, [])
})

test.run()
