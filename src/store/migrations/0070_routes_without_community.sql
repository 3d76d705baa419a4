-- How many routes of a revision carry no community. Those of its communities do not add up to all routes, since one may carry several.
--
-- Null: the revision was built before they were counted.
ALTER TABLE revision
  ADD COLUMN without_community_ipv4 integer,
  ADD COLUMN without_community_ipv6 integer,
  ADD CONSTRAINT revision_without_community_check CHECK ((without_community_ipv4 IS NULL) = (without_community_ipv6 IS NULL));
