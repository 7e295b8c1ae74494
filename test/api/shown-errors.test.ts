/** Errors as clients show them: `message` alone must state what is wrong and what to do. */
import * as assert from 'uvu/assert'
import { endpoints } from '../../src/api/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('errors as clients show them', startService)
const orgs = `/v1/orgs/${here.organization}`
const space = (await here.admin.call('post', `${orgs}/spaces`, { title: 'Docs' }).expect(201)).body.id as string

interface Told {
  message: string
  details: { path: string; message: string }[]
}
const refused = async (path: string, body: object, method: 'post' | 'put' | 'patch' = 'post'): Promise<Told> =>
  (await here.admin.call(method, path, body).expect(400)).body.error

test('an error for a union reports only the intended branch', async () => {
  const cases: [path: string, body: object, places: string[], message: RegExp][] = [
    [
      `${orgs}/openapi`,
      { slug: 'pets', source: { url: 'ftp://example.org/a' } },
      ['/source/url'],
      /must be an http or https URL/,
    ],
    [`${orgs}/openapi`, { slug: 'pets', source: { text: '' } }, ['/source/text'], /at least 1 character/],
    [`/v1/spaces/${space}/comments`, { body: { markdown: 1 } }, ['/body/markdown'], /must be a string/],
    [
      `/v1/spaces/${space}/change-requests`,
      { description: { markdown: 1 } },
      ['/description/markdown'],
      /must be a string/,
    ],
    [`${orgs}/sites`, { spaces: 'sampel' }, ['/spaces'], /must be one of: empty, sample/],
  ]
  for (const [path, body, places, message] of cases) {
    const error = await refused(path, body)
    assert.equal(
      error.details.map((detail) => detail.path),
      places,
      JSON.stringify(error),
    )
    assert.match(error.message, message)
  }
})

test('an error for a value that matches no branch lists the members of all branches', async () => {
  const { details } = await refused(`${orgs}/openapi`, { slug: 'pets', source: {} })
  assert.equal(details, [
    { path: '/source/url', message: 'is required' },
    { path: '/source/text', message: 'is required' },
  ])
})

test('an error describes a format in words, never as a regular expression', async () => {
  const { message } = await refused(`${orgs}/openapi`, { slug: 'Pet Store', source: { text: '{}' } })
  assert.match(message, /\/slug must be lowercase letters and digits, with single hyphens/)
  const unsaid: string[] = []
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    const schema = value as Record<string, unknown>
    if (typeof schema.pattern === 'string' && typeof schema['x-pattern-message'] !== 'string') unsaid.push(at)
    for (const [name, one] of Object.entries(schema)) visit(one, `${at}/${name}`)
  }
  for (const [name, { body, query }] of Object.entries(endpoints))
    for (const schema of [body, query]) visit(schema, name)
  assert.equal(unsaid, [])
})

test('the message lists up to three violations, and the remedy for a service error', async () => {
  const several = await refused(`${orgs}/openapi`, { slug: 'A', source: { url: 'x' }, extra: 1 })
  for (const { path, message } of several.details.slice(0, 3))
    assert.ok(several.message.includes(`${path} ${message}`), several.message)
  const ref = await refused(`/v1/spaces/${space}/git/import`, { url: 'https://example.org/r.git', ref: 'main' })
  assert.match(ref.message, /ref is not the full name of a branch\. ref must be refs\/heads\/<branch>\.$/)
})

test('the error for a token that is sent in another way explains how to send it', async () => {
  const ask = async (header?: string): Promise<string> => {
    const response = await fetch(
      `${here.url}${orgs}`,
      header === undefined ? {} : { headers: { Authorization: header } },
    )
    assert.is(response.status, 401)
    const { error } = (await response.json()) as { error: Told }
    assert.not.match(error.message, /s3cret|czNjcmV0/)
    return error.message
  }
  assert.match(await ask(), /This request needs a token\. Send the header "Authorization: Bearer <token>"/)
  assert.match(
    await ask('Basic czNjcmV0OnMzY3JldA=='),
    /not support user names and passwords \(Basic authentication\)\. Send the header "Authorization: Bearer <token>"/,
  )
  assert.match(await ask('s3cret_token'), /"Bearer" is missing before the token/)
  assert.match(await ask('Bearer'), /token after "Bearer" is missing/)
  assert.match(await ask('Token s3cret'), /only supports the scheme Bearer/)
  assert.match(await ask('Bearer s3cret'), /unknown, expired or revoked/)
})

test('the error for a missing role names the role that has the permission', async () => {
  const commenter = await here.caller('comment')
  const { error } = (await commenter.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(403)).body
  assert.is(
    error.message,
    'You need the permission "space:edit" on the space, which the role edit has; your role is comment there. Ask an admin of the space for it.',
  )
})

test.run()
