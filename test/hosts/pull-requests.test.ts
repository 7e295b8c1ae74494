import type { CommitId } from '../../src/kernel/ids.js'
import * as assert from 'uvu/assert'
import type { PullRequest } from '../../src/hosts/index.js'
import { suiteWith } from '../support/suite.js'
import { failed, startAllHosts } from './fixture.js'

const [test, here] = await suiteWith('pull requests of hosts', startAllHosts)

for (const { provider, server, open } of here.places) {
  const { repository } = server
  const host = open()

  test(`${provider}: a pull request is opened once, changed, listed and closed`, async () => {
    const head = repository.commit('topic/one', 'A page').sha
    const wish = { head: 'topic/one', base: 'main', title: 'A page', body: 'It *says*\n\nmore.' }
    const { pullRequest } = await host.openPullRequest(wish)
    const { number, url, ...rest } = pullRequest
    const expected: Omit<PullRequest, 'number' | 'url'> = {
      title: 'A page',
      body: wish.body,
      state: 'open',
      draft: false,
      author: 'ann',
      head: { ref: 'topic/one', sha: head as CommitId, repository: repository.name },
      base: { ref: 'main' },
      mergeCommit: null,
      mergedAt: null,
      mergedBy: null,
      reason: null,
    }
    assert.equal(rest, expected)
    assert.ok(url.startsWith(`${server.url}/${repository.name}/`), url)
    assert.is((await host.openPullRequest(wish)).pullRequest.number, number)
    assert.is(repository.pulls.filter((one) => one.head === 'topic/one').length, 1)
    assert.is((await host.updatePullRequest(number, { title: 'Two' })).title, 'Two')
    assert.equal([(await host.pullRequest(number)).title, (await host.pullRequest(number)).body], ['Two', wish.body])
    assert.equal(
      (await host.openPullRequests('main')).items.map((one) => [one.number, one.head.ref]),
      [[number, 'topic/one']],
    )
    assert.equal((await host.openPullRequests('other')).items, [])
    assert.is((await host.closePullRequest(number)).state, 'closed')
    assert.is((await host.pullRequest(number)).state, 'closed')
    assert.equal(await host.openPullRequests('main'), { items: [], more: false })
    assert.is(await host.mergedCommits(number), null)
  })

  test(`${provider}: rejected reviewers are reported, but the pull request is opened`, async () => {
    repository.people.splice(0, Infinity, 'annette', 'bernard')
    repository.commit('topic/reviewed', 'Reviewed')
    const asked = await host.openPullRequest({
      head: 'topic/reviewed',
      base: 'main',
      title: 'Reviewed',
      body: '',
      reviewers: ['bernard', 'nobody'],
    })
    const pull = repository.findOpen('topic/reviewed', 'main')
    const all = provider === 'bitbucket'
    assert.equal(pull?.reviewers, all ? [] : ['bernard'])
    assert.equal(asked.refusedReviewers, all ? ['bernard', 'nobody'] : ['nobody'])
    repository.commit('topic/again', 'Again')
    const good = await host.openPullRequest({
      head: 'topic/again',
      base: 'main',
      title: 'Again',
      body: '',
      reviewers: ['bernard'],
    })
    assert.equal([good.refusedReviewers, repository.findOpen('topic/again', 'main')?.reviewers], [[], ['bernard']])
  })

  test(`${provider}: the error for a pull request that cannot be opened has the reason`, async () => {
    const error = await failed(host.openPullRequest({ head: 'not/there', base: 'main', title: 'x', body: '' }))
    assert.match(
      error.message,
      provider === 'gitea'
        ? /does not exist/
        : /refused to open a (pull|merge) request \(status 4\d\d\)\. .+ responded: ".+"/,
    )
  })

  test(`${provider}: a merged pull request is identified by its resulting commits`, async () => {
    for (const [method, commits] of [
      ['merge', 2],
      ['squash', 2],
      ['squash', 1],
      ['rebase', 3],
      ['rebase', 1],
      ['forward', 2],
    ] as const) {
      const branch = `merged/${method}-${commits}`
      repository.commit('main', `Before ${branch}`)
      for (let n = 0; n < commits; n++)
        repository.commit(branch, `Commit ${n} of ${branch}`, undefined, undefined, `2026-05-01T10:0${n}:00Z`)
      const pull = repository.open({ head: branch, base: 'main', title: `All of ${branch}`, body: '' })
      if (method !== 'forward') repository.commit('main', `Meanwhile ${branch}`)
      repository.merge(pull, method)
      const own = repository.commits
        .log('main', commits)
        .map(({ sha }) => sha)
        .reverse()
      const merged = await host.mergedCommits(pull.number)
      const read = await host.pullRequest(pull.number)
      assert.equal([read.state, read.mergeCommit], ['merged', repository.mergedTo(pull)])
      const from = pull.commits.map(({ sha }) => sha)
      const expected =
        method === 'merge' || method === 'squash'
          ? { method, commits: own.slice(-1), from }
          : { method: 'rebase', commits: own, from }
      assert.equal(merged, expected, branch)
      repository.commit('main', `After ${branch}`)
      repository.commit(branch, `Late on ${branch}`)
      assert.equal(await host.mergedCommits(pull.number), expected, `${branch}, later`)
    }
  })

  test(`${provider}: a long list of pull requests is cut at a limit`, async () => {
    for (let n = 0; n < 310; n++) repository.open({ head: `many/${n}`, base: 'many', title: `${n}`, body: '' })
    const { items, more } = await host.openPullRequests('many')
    assert.equal([items.length, more, items[0]?.head.ref], [300, true, 'many/309'])
  })

  test(`${provider}: a commit status can be set twice, and its description is shortened`, async () => {
    const { sha } = repository.commit('status', 'With a status')
    const status = { context: 'bindery/preview', description: 'é'.repeat(200), targetUrl: 'https://docs.example.org/p' }
    for (const state of ['pending', 'pending', 'failure', 'success'] as const)
      await host.setStatus(sha, { ...status, state })
    const seen = repository.statuses.filter((one) => one.sha === sha)
    const words = {
      github: ['failure', 'success'],
      gitea: ['failure', 'success'],
      gitlab: ['failed', 'success'],
      bitbucket: ['FAILED', 'SUCCESSFUL'],
      generic: [],
    }[provider]
    assert.equal(
      seen.slice(-2).map(({ state }) => state),
      words,
    )
    for (const { context, description, url } of seen)
      assert.equal(
        [context, description, url],
        ['bindery/preview', `${'é'.repeat(139)}…`, 'https://docs.example.org/p'],
      )
    const gone = await failed(host.setStatus('f'.repeat(40), { ...status, state: 'success' }))
    assert.match(gone.message, provider === 'github' ? /No commit found/ : /The commit f+ does not exist/)
  })
}

test.run()
