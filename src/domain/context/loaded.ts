import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ChangeRequestDoc, CollectionDoc, OrganizationDoc, Role, SiteDoc, SpaceDoc, TeamDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeRequestRef } from './refs.js'

// What the resolvers load of a request's path, and use cases get instead of IDs.

/** An organization that the caller may see, with his role there (null = guest). */
export interface LoadedOrganization {
  doc: Document<OrganizationDoc>
  role: Role | null
}

/** A team of an organization; the role is `admin` for its owners too, else the caller's in the organization. */
export interface LoadedTeam {
  doc: Document<TeamDoc>
  role: Role | null
}

/** A collection that the caller may see, with his role on it. */
export interface LoadedCollection {
  doc: Document<CollectionDoc>
  role: Role
}

/** A site that the caller may see, with his role on it. */
export interface LoadedSite {
  doc: Document<SiteDoc>
  role: Role
}

/** A space that the caller may see, with his role on it and its repository. */
export interface LoadedSpace {
  doc: Document<SpaceDoc>
  role: Role
  repo: Repository
}

/** A space that the caller may see, its repository not opened. */
export type VisibleSpace = Omit<LoadedSpace, 'repo'>

/** A space's ID and repository: all that reading and writing its content needs, whoever asks. A `LoadedSpace` is one. */
export interface SpaceRepository {
  doc: Pick<SpaceDoc, 'id'>
  repo: Repository
}

/** A change request with the head of its branch. */
export interface LoadedChangeRequest {
  doc: Document<ChangeRequestDoc>
  head: CommitId
}

/** With the head of its branch; a branch that an admin removed shows the revision it ended on. */
export function loadHead(space: LoadedSpace, doc: Document<ChangeRequestDoc>): LoadedChangeRequest {
  const head = space.repo.head(changeRequestRef(doc.number)) ?? ((doc.revisionMerged ?? doc.revisionInitial) as CommitId)
  return { doc, head }
}
