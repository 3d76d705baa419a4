// What truth.long.test.ts tries of one daemon, of the others too.
import { testTruth } from './truth.ts';

testTruth(['fed bird', 'gobgp', 'openbgpd']);
