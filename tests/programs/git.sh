# packages: git
# limit: 600
# git: commits with fixed dates, branches, merges, conflicts, packs.
set -u
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_AUTHOR_DATE='2001-02-03T04:05:06Z' GIT_COMMITTER_DATE='2001-02-03T04:05:06Z' GIT_PAGER=cat
git init -q -b main work && cd work
git config core.fsync none
for i in 1 2 3 4 5; do
	seq $((i * 10)) >numbers; echo "line $i" >>story; mkdir -p d/$i; echo $i >d/$i/file
	git add -A && git commit -q -m "commit $i"
done
git log --oneline --stat | cat
git checkout -q -b side HEAD~2
sed -i 's/^7$/seven/' numbers; echo side >side; git add -A; git commit -q -m side
git checkout -q main && git merge -q -m merged side; git status --short
git log --graph --format='%h %p %an %s %ad' --date=iso
git checkout -q -b clash HEAD~1; echo clash >>story; git commit -qam clash
git checkout -q main; echo other >>story; git commit -qam other
git merge clash; cat story; git merge --abort
git rebase -q clash; git status | head -n 3; git rebase --abort
git cherry-pick -x clash || { git checkout --theirs story && git add story && git -c core.editor=true cherry-pick --continue; }
git tag -a v1 -m 'one point oh' && git describe
git blame -s story | cut -c1-60
git diff v1~2 v1 --stat
git stash list; echo dirty >>story; git stash -q; git stash list | cut -d: -f1,3; git stash pop -q; git diff
git checkout -q story
git mv side d/side && git commit -qm moved && git log --follow --oneline d/side
git grep -n line
git bisect start -q HEAD HEAD~4 >/dev/null && git bisect run sh -c '! grep -q other story' | tail -n 2; git bisect reset -q
git gc -q --prune=now && git count-objects -v && git fsck --full
git verify-pack -v .git/objects/pack/*.idx | tail -n 3
git archive --format=tar HEAD | sha256sum
git bundle create -q ../bundle --all && git clone -q ../bundle ../clone && git -C ../clone log --oneline | wc -l
git -C ../clone show --stat HEAD | head -n 6
git format-patch -q -2 && ls *.patch && git am --show-current-patch 2>/dev/null; rm -f *.patch
git clone -q --bare . ../bare.git && git remote add origin ../bare.git && git push -q origin main && git ls-remote ../bare.git
git reflog | wc -l
git rev-parse HEAD HEAD^{tree}
cd .. && rm -rf bundle work/.git/index clone/.git/index bare.git/FETCH_HEAD
