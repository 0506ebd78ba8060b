/* SPDX-License-Identifier: ISC */
/*
 * Names of ioctl requests: a hundred of the headers, those printed as fields,
 * and the order of the table.
 */
#include <asm/termbits.h>
#include <linux/blkzoned.h>
#include <linux/btrfs.h>
#include <linux/cdrom.h>
#include <linux/dm-ioctl.h>
#include <linux/dma-buf.h>
#include <linux/fb.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fuse.h>
#include <linux/hdreg.h>
#include <linux/hidraw.h>
#include <linux/i2c-dev.h>
#include <linux/if_tun.h>
#include <linux/input.h>
#include <linux/kd.h>
#include <linux/kvm.h>
#include <linux/loop.h>
#include <linux/nbd.h>
#include <linux/nsfs.h>
#include <linux/nvme_ioctl.h>
#include <linux/perf_event.h>
#include <linux/ppp-ioctl.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <linux/uinput.h>
#include <linux/usbdevice_fs.h>
#include <linux/userfaultfd.h>
#include <linux/vfio.h>
#include <linux/vhost.h>
#include <linux/videodev2.h>
#include <linux/vt.h>
#include <linux/watchdog.h>
#include <scsi/sg.h>
#include <sound/asound.h>

#include <asm/ioctls.h>

#include "tests/unit/test_cli.h"

#include "cli/decode/flag_names.h"

#define IS(x) { x, #x },

static const struct {
	uint32_t nr;
	const char *name;
} requests[] = {
	/* clang-format off */
	IS(TCGETS) IS(TCSBRK) IS(TCXONC) IS(TCFLSH) IS(TIOCEXCL)
	IS(TIOCGPGRP) IS(TIOCSPGRP) IS(TIOCOUTQ) IS(TIOCSTI) IS(TIOCGWINSZ)
	IS(TIOCSWINSZ) IS(TIOCMGET) IS(FIONREAD) IS(FIONBIO) IS(TIOCNOTTY)
	IS(TIOCSETD) IS(TIOCGETD) IS(TCGETS2) IS(TIOCGPTN) IS(TIOCSPTLCK)
	IS(FIOCLEX) IS(FIONCLEX) IS(FIOASYNC) IS(FIOQSIZE) IS(TIOCGPTPEER)
	IS(SIOCGIFNAME) IS(SIOCGIFCONF) IS(SIOCGIFFLAGS) IS(SIOCGIFADDR)
	IS(SIOCGIFINDEX) IS(SIOCGIFMTU) IS(SIOCGIFHWADDR) IS(SIOCETHTOOL)
	IS(SIOCBRADDBR) IS(SIOCADDRT) IS(SIOCGARP) IS(SIOCATMARK)
	IS(FIBMAP) IS(FIGETBSZ) IS(FIFREEZE) IS(FITHAW) IS(FITRIM)
	IS(FS_IOC_GETFLAGS) IS(FS_IOC_SETFLAGS) IS(FS_IOC_FIEMAP)
	IS(BLKROSET) IS(BLKRRPART) IS(BLKGETSIZE) IS(BLKGETSIZE64)
	IS(BLKSSZGET) IS(BLKDISCARD) IS(BLKREPORTZONE)
	IS(LOOP_SET_FD) IS(LOOP_CLR_FD) IS(LOOP_SET_STATUS64)
	IS(LOOP_CTL_GET_FREE) IS(LOOP_CONFIGURE) IS(NBD_SET_SOCK)
	IS(HDIO_GETGEO) IS(HDIO_GET_IDENTITY) IS(CDROMEJECT)
	IS(CDROM_DRIVE_STATUS) IS(SG_IO) IS(SG_GET_VERSION_NUM)
	IS(NVME_IOCTL_ADMIN_CMD) IS(DM_VERSION) IS(DM_TABLE_LOAD)
	IS(KDGKBMODE) IS(KDSETMODE) IS(VT_GETSTATE) IS(VT_ACTIVATE)
	IS(FBIOGET_VSCREENINFO) IS(EVIOCGVERSION) IS(EVIOCGRAB)
	IS(UI_DEV_CREATE) IS(HIDIOCGRAWINFO) IS(RTC_RD_TIME) IS(RTC_SET_TIME)
	IS(WDIOC_KEEPALIVE) IS(I2C_SLAVE) IS(I2C_RDWR) IS(USBDEVFS_SUBMITURB)
	IS(TUNSETIFF) IS(TUNGETIFF) IS(PPPIOCGUNIT) IS(RNDGETENTCNT)
	IS(NS_GET_USERNS) IS(NS_GET_NSTYPE) IS(UFFDIO_API) IS(UFFDIO_COPY)
	IS(PERF_EVENT_IOC_ENABLE) IS(PERF_EVENT_IOC_ID)
	IS(SECCOMP_IOCTL_NOTIF_RECV) IS(KVM_CREATE_VM) IS(KVM_RUN)
	IS(KVM_GET_API_VERSION) IS(VHOST_SET_OWNER) IS(VFIO_GET_API_VERSION)
	IS(DMA_BUF_IOCTL_SYNC) IS(FUSE_DEV_IOC_CLONE) IS(VIDIOC_QUERYCAP)
	IS(VIDIOC_STREAMON) IS(SNDRV_PCM_IOCTL_HW_PARAMS)
	IS(SNDRV_CTL_IOCTL_CARD_INFO) IS(BTRFS_IOC_SNAP_CREATE)
	IS(BTRFS_IOC_SUBVOL_CREATE)
	/* clang-format on */
};

static struct buf buf;

/* Its name alone, or with others of the same number. */
static void
requests_have_the_names_of_the_headers(void **state)
{
	char want[80];
	size_t i;

	(void)state;
	assert_true(sizeof(requests) / sizeof(requests[0]) >= 100);
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		snprintf(want, sizeof(want), " or %s or ", requests[i].name);
		buf_str(&buf, " or ");
		arg_put_ioctl(&buf, requests[i].nr);
		buf_mem(&buf, " or ", 5);
		if (strstr(buf.b_data, want) == NULL)
			fail_msg("%s: %s", requests[i].name, buf.b_data);
		buf.b_len = 0;
	}
}

static void
who_shares_a_number_is_told_together(void **state)
{
	(void)state;
	arg_put_ioctl(&buf, TCSETS);
	assert_buf(&buf, "SNDCTL_TMR_START or TCSETS");
	arg_put_ioctl(&buf, FICLONERANGE);
	assert_buf(&buf, "BTRFS_IOC_CLONE_RANGE or FICLONERANGE");
}

static void
a_length_can_be_a_part_of_the_number(void **state)
{
	(void)state;
	arg_put_ioctl(&buf, EVIOCGNAME(256));
	assert_buf(&buf, "EVIOCGNAME(256)");
	arg_put_ioctl(&buf, EVIOCGBIT(EV_KEY, 96));
	assert_buf(&buf, "EVIOCGBIT(0x1, 96)");
	arg_put_ioctl(&buf, HIDIOCGRAWNAME(64));
	assert_buf(&buf, "HIDIOCGRAWNAME(64)");
	arg_put_ioctl(&buf, HIDIOCSFEATURE(9));
	assert_buf(&buf, "HIDIOCSFEATURE(9)");
}

static void
unknown_numbers_are_told_by_their_parts(void **state)
{
	(void)state;
	arg_put_ioctl(&buf, 0);
	assert_buf(&buf, "_IOC(_IOC_NONE, 0, 0, 0)");
	arg_put_ioctl(&buf, _IOC(_IOC_READ, 0x54, 0x1, 4));
	assert_buf(&buf, "_IOC(_IOC_READ, 0x54, 0x1, 0x4)");
	arg_put_ioctl(&buf, UINT32_MAX);
	assert_buf(&buf, "_IOC(_IOC_READ|_IOC_WRITE, 0xff, 0xff, 0x3fff)");
}

/* The table is searched by bisection. */
static void
the_table_is_sorted(void **state)
{
	const struct arg_name *an = arg_names_request.ns_list;
	size_t i;

	(void)state;
	for (i = 1; i < arg_names_request.ns_n; i++)
		assert_true(an[i - 1].an_value <= an[i].an_value);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_have_the_names_of_the_headers),
		cmocka_unit_test(who_shares_a_number_is_told_together),
		cmocka_unit_test(a_length_can_be_a_part_of_the_number),
		cmocka_unit_test(unknown_numbers_are_told_by_their_parts),
		cmocka_unit_test(the_table_is_sorted),
	};
	int failed;

	buf_init(&buf, -1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	buf_free(&buf);
	return failed;
}
