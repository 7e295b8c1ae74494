/** Turns the revisions of the history and their authors into the JSON that clients get. */
import { required } from '../../kernel/defined.js'
import type { App } from '../../domain/context/app.js'
import { contentAddress } from '../../domain/context/app-addresses.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { membersByEmail } from '../../domain/revisions/history.js'
import { revisionType } from '../../domain/revisions/revision-type.js'
import { iso } from '../../kernel/clock.js'
import type { CommitInfo, Signature } from '../../git/index.js'
import type { UserDoc } from '../../model/index.js'
import { presentUser } from '../users/present.js'
import { presentMergedFrom, revisionGitOf } from './present-facts.js'

/** Returns the author of a commit: the member with this email address, otherwise the name and address from Git. */
function presentAuthor(app: App, members: ReadonlyMap<string, UserDoc>, { name, email }: Signature) {
  const user = members.get(email.toLowerCase())
  return user ? presentUser(app, user) : { displayName: name, email }
}

export async function presentAuthors(app: App, space: LoadedSpace, authors: readonly Signature[]) {
  const members = await membersByEmail(
    app,
    space,
    authors.map(({ email }) => email),
  )
  return authors.map((author) => presentAuthor(app, members, author))
}

/** Returns revisions without their pages and files. */
export async function presentRevisions(app: App, space: LoadedSpace, commits: readonly CommitInfo[]) {
  const authors = await presentAuthors(
    app,
    space,
    commits.map(({ author }) => author),
  )
  const gitOf = await revisionGitOf(space)
  return Promise.all(
    commits.map(async (info, index) => {
      const location = `${app.settings.publicUrl}/v1/spaces/${space.doc.id}/revisions/${info.id}`
      return {
        object: 'revision' as const,
        id: info.id,
        parents: info.parents,
        type: revisionType(info),
        author: required(authors[index]),
        createdAt: iso(info.committer.seconds),
        git: await gitOf(info),
        ...(await presentMergedFrom(app, space, info)),
        urls: { app: contentAddress(app, space.doc.id, { revision: info.id }), location },
      }
    }),
  )
}
