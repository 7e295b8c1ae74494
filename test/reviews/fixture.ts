import * as assert from 'uvu/assert'
import type { Caller, TestService } from '../support/service.js'

type Json = any

/** A change request with its own commit, opened by an editor, in a space that requires approvals. */
export interface Case {
  space: string
  base: string
  author: Caller
  /** Another commit on its branch. */
  edit(by?: Caller): Promise<void>
  review(by: Caller, status: 'approved' | 'changes-requested', more?: object): Promise<Json>
  reviews(): Promise<Json[]>
  /** A merge by the admin that must be rejected. Returns the message. */
  refused(): Promise<string>
}

let pages = 0

export async function openCase(here: TestService, requiredApprovals = 0): Promise<Case> {
  const { admin, organization } = here
  const author = await here.caller('edit')
  const space = (await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Reviewed' }).expect(201)).body
    .id as string
  assert.is(
    (await admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals }).expect(200)).body.requiredApprovals,
    requiredApprovals,
  )
  await author.call('post', `/v1/spaces/${space}/change-requests`, { subject: 'Change' }).expect(201)
  const base = `/v1/spaces/${space}/change-requests/1`
  const made: Case = {
    space,
    base,
    author,
    edit: async (by = author) => {
      const changes = [{ operation: 'insert_page', title: `Page ${++pages}`, document: { markdown: 'Text.\n' } }]
      await by.call('post', `${base}/content`, { changes }).expect(200)
    },
    review: async (by, status, more = {}) =>
      (await by.call('post', `${base}/reviews`, { status, ...more }).expect(201)).body,
    reviews: async () => (await admin.call('get', `${base}/reviews`).expect(200)).body.items,
    refused: async () => (await admin.call('post', `${base}/merge`).expect(409)).body.error.message,
  }
  await made.edit()
  return made
}
